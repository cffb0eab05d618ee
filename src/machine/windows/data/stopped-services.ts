import { serviceTable } from './service-table.ts';

/** Services that are there but run rarely or never. */
export const STOPPED_SERVICES = serviceTable(String.raw`
  wuauserv | Windows Update | Mw | netsvcs | Finds, downloads and installs updates
  BITS | Background Intelligent Transfer Service | Mw | netsvcs | Transfers files in the background with the bandwidth that is left
  TrustedInstaller | Windows Modules Installer | Mw | C:\Windows\servicing\TrustedInstaller.exe | Installs, changes and removes parts of the system
  sppsvc | Software Protection | Aw | C:\Windows\system32\sppsvc.exe | Checks digital licences of the system and of programs
  msiserver | Windows Installer | Mw | C:\Windows\system32\msiexec.exe /V | Installs and removes programs delivered as packages
  VSS | Volume Shadow Copy | Mw | C:\Windows\system32\vssvc.exe | Takes snapshots of volumes for backups
  swprv | Microsoft Software Shadow Copy Provider | Mw | swprv | Manages snapshots made in software
  edgeupdate | Microsoft Edge Update Service (edgeupdate) | As | C:\Program Files (x86)\Microsoft\EdgeUpdate\MicrosoftEdgeUpdate.exe /svc | Keeps the browser up to date
  edgeupdatem | Microsoft Edge Update Service (edgeupdatem) | Ms | C:\Program Files (x86)\Microsoft\EdgeUpdate\MicrosoftEdgeUpdate.exe /medsvc | Keeps the browser up to date on demand
  MapsBroker | Downloaded Maps Manager | As | NetworkService | Manages maps that were downloaded
  RemoteRegistry | Remote Registry | Ds | localService | Lets remote users change the registry
  RemoteAccess | Routing and Remote Access | Ds | netsvcs | Routes between local and wide networks
  shpamsvc | Shared PC Account Manager | Ds | netsvcs | Manages the profiles of a shared machine
  ssh-agent | OpenSSH Authentication Agent | Ds | C:\Windows\System32\OpenSSH\ssh-agent.exe | Holds private keys for authentication
  tzautoupdate | Auto Time Zone Updater | Ds | LocalService | Sets the time zone by where the machine is
  AppVClient | Microsoft App-V Client | Ds | C:\Windows\system32\AppVClient.exe | Manages users and virtual applications
  UevAgentService | User Experience Virtualization Service | Ds | C:\Windows\system32\AgentService.exe | Lets settings follow users from machine to machine
  NetTcpPortSharing | Net.Tcp Port Sharing Service | Ds | C:\Windows\Microsoft.NET\Framework64\v4.0.30319\SMSvcHost.exe | Lets programs share ports of one protocol
  DialogBlockingService | DialogBlockingService | Ds | DialogBlockingService | Keeps dialogs away from unattended screens
  MsKeyboardFilter | Microsoft Keyboard Filter | Ds | netsvcs | Suppresses combinations of keys
  dmwappushservice | Device Management Wireless Application Protocol (WAP) Push message Routing Service | Ms | netsvcs | Routes push messages of device management
  ALG | Application Layer Gateway Service | Ms | C:\Windows\System32\alg.exe | Supports plug-ins for shared internet connections
  AppIDSvc | Application Identity | Ms | LocalServiceNetworkRestricted | Checks the identity of a program before rules apply
  AppMgmt | Application Management | Ms | netsvcs | Handles installations that administrators assign
  AppReadiness | App Readiness | Ms | AppReadiness | Gets apps ready for a user's first sign-in
  AssignedAccessManagerSvc | AssignedAccessManager Service | Ms | AssignedAccessManagerSvc | Supports kiosks with a single app
  autotimesvc | Cellular Time | Ms | autoTimeSvc | Sets the time from a mobile network
  AxInstSV | ActiveX Installer (AxInstSV) | Ms | AxInstSVGroup | Checks installations of controls from the web
  cloudidsvc | Microsoft Cloud Identity Service | Ms | CloudIdServiceGroup | Ties in identities from the cloud
  COMSysApp | COM+ System Application | Ms | C:\Windows\system32\dllhost.exe /Processid:{02D4B3F1-FD88-11D1-960D-00805FC79235} | Manages and tracks components of COM+
  CscService | Offline Files | Ms | LocalSystemNetworkRestricted | Keeps copies of network files for use without a network
  dcsvc | Declared Configuration(DC) service | Ms | netsvcs | Processes documents that declare a configuration
  defragsvc | Optimize drives | Ms | defragsvc | Optimises the files on storage
  DeviceInstall | Device Install Service | Mw | DcomLaunch | Installs devices with little or no input from users
  DevQueryBroker | DevQuery Background Discovery Broker | Ms | LocalSystemNetworkRestricted | Lets apps find devices by tasks in the background
  diagnosticshub.standardcollector.service | Microsoft (R) Diagnostics Hub Standard Collector Service | Ms | C:\Windows\system32\DiagSvcs\DiagnosticsHub.StandardCollector.Service.exe | Collects events of the system in real time
  diagsvc | Diagnostic Execution Service | Ms | diagnostics | Carries out the actions that diagnostics propose
  DmEnrollmentSvc | Device Management Enrollment Service | Ms | netsvcs | Enrols the machine for its management
  dot3svc | Wired AutoConfig | Ms | LocalSystemNetworkRestricted | Authenticates wired connections
  DsmSvc | Device Setup Manager | Mw | netsvcs | Finds, downloads and installs software for devices
  DsSvc | Data Sharing Service | Ms | LocalSystemNetworkRestricted | Passes data between programs
  Eaphost | Extensible Authentication Protocol | Ms | netsvcs | Authenticates clients of networks
  EFS | Encrypting File System (EFS) | Ms | C:\Windows\System32\lsass.exe | Encrypts files on volumes
  embeddedmode | Embedded Mode | Ms | LocalSystemNetworkRestricted | Enables background applications of devices
  EntAppSvc | Enterprise App Management Service | Ms | appmodel | Manages the apps of an organisation
  fhsvc | File History Service | Ms | LocalSystemNetworkRestricted | Copies files of users to another place
  FontCache3.0.0.0 | Windows Presentation Foundation Font Cache 3.0.0.0 | Ms | C:\Windows\Microsoft.Net\Framework64\v3.0\WPF\PresentationFontCache.exe | Caches fonts for one framework
  FrameServer | Windows Camera Frame Server | Ms | Camera | Lets several programs see through one camera
  FrameServerMonitor | Windows Camera Frame Server Monitor | Ms | CameraMonitor | Watches the service of the cameras
  GraphicsPerfSvc | GraphicsPerfSvc | Ms | GraphicsPerfSvcGroup | Watches the performance of graphics
  HvHost | HV Host Service | Ms | LocalSystemNetworkRestricted | Gives counters of the hypervisor to the host
  icssvc | Windows Mobile Hotspot Service | Ms | LocalServiceNetworkRestricted | Shares a mobile connection with other devices
  InventorySvc | Inventory and Compatibility Appraisal service | Mw | InvSvcGroup | Takes stock of software to judge its compatibility
  IpxlatCfgSvc | IP Translation Configuration Service | Ms | LocalSystemNetworkRestricted | Configures the translation of version 4 to version 6
  KtmRm | KtmRm for Distributed Transaction Coordinator | Ms | NetworkServiceAndNoImpersonation | Coordinates transactions with the kernel
  lltdsvc | Link-Layer Topology Discovery Mapper | Ms | LocalService | Draws a map of the network
  LocalKdc | Kerberos Local Key Distribution Center | Ms | C:\Windows\System32\lsass.exe | Issues tickets for local accounts
  LxpSvc | Language Experience Service | Ms | netsvcs | Supports installing and changing languages
  McpManagementService | McpManagementService | Ms | McpManagementServiceGroup | Manages universal printing
  MicrosoftEdgeElevationService | Microsoft Edge Elevation Service (MicrosoftEdgeElevationService) | Ms | C:\Program Files (x86)\Microsoft\Edge\Application\143.0.3650.139\elevation_service.exe | Lets the browser update with all rights
  MixedRealityOpenXRSvc | Windows Mixed Reality OpenXR Service | Ms | LocalSystemNetworkRestricted | Supports headsets of mixed reality
  MSDTC | Distributed Transaction Coordinator | Ms | C:\Windows\System32\msdtc.exe | Coordinates transactions over several resources
  MSiSCSI | Microsoft iSCSI Initiator Service | Ms | netsvcs | Manages sessions with remote block devices
  NaturalAuthentication | Natural Authentication | Ms | netsvcs | Judges signals for unlocking
  NcaSvc | Network Connectivity Assistant | Ms | NetSvcs | Tells about the state of direct access
  NcdAutoSetup | Network Connected Devices Auto-Setup | Ms | LocalServiceNoNetwork | Installs devices of the network that qualify
  Netman | Network Connections | Ms | LocalSystemNetworkRestricted | Manages what is in the folder of connections
  NetSetupSvc | Network Setup Service | Mw | netsvcs | Installs drivers of networks
  NgcCtnrSvc | Microsoft Passport Container | Ms | LocalServiceNetworkRestricted | Manages keys of users for signing in
  NgcSvc | Microsoft Passport | Ms | LocalSystemNetworkRestricted | Isolates keys with which users authenticate
  p2pimsvc | Peer Networking Identity Manager | Ms | LocalServicePeerNet | Gives peers of the network identities
  p2psvc | Peer Networking Grouping | Ms | LocalServicePeerNet | Lets peers form groups
  PeerDistSvc | BranchCache | Ms | PeerDist | Caches network content of peers in the subnet
  perceptionsimulation | Windows Perception Simulation Service | Ms | C:\Windows\system32\PerceptionSimulation\PerceptionSimulationService.exe | Simulates spatial input
  PerfHost | Performance Counter DLL Host | Ms | C:\Windows\SysWow64\perfhost.exe | Lets programs read counters of older libraries
  PhoneSvc | Phone Service | Ms | LocalService | Manages the state of telephony
  pla | Performance Logs & Alerts | Mw | LocalServiceNoNetwork | Collects performance data by schedule
  PNRPsvc | Peer Name Resolution Protocol | Ms | LocalServicePeerNet | Resolves names without servers
  PrintNotify | Printer Extensions and Notifications | Ms | print | Opens dialogs of printers and shows their messages
  PushToInstall | Windows PushToInstall Service | Ms | netsvcs | Installs apps that were chosen on another device
  QWAVE | Quality Windows Audio Video Experience | Ms | LocalServiceAndNoImpersonation | Improves streaming in home networks
  RasAuto | Remote Access Auto Connection Manager | Ms | netsvcs | Connects when a program needs a remote network
  RetailDemo | Retail Demo Service | Ms | rdxgroup | Controls what a machine shows in shops
  RpcLocator | Remote Procedure Call (RPC) Locator | Ms | C:\Windows\system32\locator.exe | Exists for programs of long ago
  SCardSvr | Smart Card | Ms | LocalServiceAndNoImpersonation | Gives access to smart cards
  ScDeviceEnum | Smart Card Device Enumeration Service | Ms | LocalSystemNetworkRestricted | Creates devices for readers in a session
  SCPolicySvc | Smart Card Removal Policy | Ms | netsvcs | Locks the screen when a card is taken out
  SDRSVC | Windows Backup | Ms | SDRSVC | Backs files up and restores them
  seclogon | Secondary Logon | Ms | netsvcs | Starts processes under another account
  SEMgrSvc | Payments and NFC/SE Manager | Ms | LocalService | Manages payments by near radio
  SensorDataService | Sensor Data Service | Ms | C:\Windows\System32\SensorDataService.exe | Delivers the data of many sensors
  SensorService | Sensor Service | Ms | LocalSystemNetworkRestricted | Manages what sensors do
  SensrSvc | Sensor Monitoring Service | Ms | LocalServiceAndNoImpersonation | Adapts the system to what sensors see
  Sense | Windows Defender Advanced Threat Protection Service | Ms | C:\Program Files\Windows Defender Advanced Threat Protection\MsSense.exe | Reports events of security to the organisation
  SharedAccess | Internet Connection Sharing (ICS) | Ms | netsvcs | Translates addresses for a small network
  SharedRealitySvc | Spatial Data Service | Ms | LocalService | Keeps data about the space around
  smphost | Microsoft Storage Spaces SMP | Mw | smphost | Hosts the management of storage
  SmsRouter | Microsoft Windows SMS Router Service. | Ms | LocalServiceNetworkRestricted | Routes text messages to programs
  SNMPTrap | SNMP Trap | Ms | C:\Windows\System32\snmptrap.exe | Receives messages of network agents
  spectrum | Windows Perception Service | Ms | C:\Windows\system32\spectrum.exe | Enables spatial perception and holograms
  stisvc | Windows Image Acquisition (WIA) | Ms | imgsvc | Takes in images from scanners and cameras
  svsvc | Spot Verifier | Ms | LocalSystemNetworkRestricted | Verifies damage of file systems that was suspected
  TapiSrv | Telephony | Ms | NetworkService | Supports programs that control telephony
  TieringEngineService | Storage Tiers Management | Ms | C:\Windows\system32\TieringEngineService.exe | Moves data between fast and slow storage
  TroubleshootingSvc | Recommended Troubleshooting Service | Ms | netsvcs | Solves known problems by recommended steps
  upnphost | UPnP Device Host | Ms | LocalServiceAndNoImpersonation | Hosts devices of the network
  vds | Virtual Disk | Ms | C:\Windows\System32\vds.exe | Manages disks, volumes and file systems
  vmicguestinterface | Hyper-V Guest Service Interface | Ms | LocalSystemNetworkRestricted | Lets the host act inside the guest
  vmicheartbeat | Hyper-V Heartbeat Service | Ms | ICService | Tells the host that the guest is alive
  vmickvpexchange | Hyper-V Data Exchange Service | Ms | LocalSystemNetworkRestricted | Exchanges values between guest and host
  vmicrdv | Hyper-V Remote Desktop Virtualization Service | Ms | ICService | Connects machine and remote desktop
  vmicshutdown | Hyper-V Guest Shutdown Service | Ms | LocalSystemNetworkRestricted | Lets the host shut the guest down
  vmictimesync | Hyper-V Time Synchronization Service | Ms | LocalServiceNetworkRestricted | Sets the guest's clock by the host's
  vmicvmsession | Hyper-V PowerShell Direct Service | Ms | LocalSystemNetworkRestricted | Opens shells in the guest without a network
  vmicvss | Hyper-V Volume Shadow Copy Requestor | Ms | LocalSystemNetworkRestricted | Coordinates backups of the guest from the host
  WaaSMedicSvc | WaaSMedicSvc | Mw | wusvcs | Repairs what updates need
  WalletService | WalletService | Ms | appmodel | Hosts the objects of the wallet
  WarpJITSvc | Warp JIT Service | Ms | LocalServiceNetworkRestricted | Compiles for graphics in software
  wbengine | Block Level Backup Engine Service | Ms | C:\Windows\system32\wbengine.exe | Backs volumes up block by block
  WbioSrvc | Windows Biometric Service | Ms | WbioSvcGroup | Captures and compares biometric data
  wcncsvc | Windows Connect Now - Config Registrar | Ms | LocalServiceAndNoImpersonation | Issues credentials of wireless networks
  WebClient | WebClient | Ms | LocalService | Lets programs create and change files on the web
  webthreatdefsvc | Web Threat Defense Service | Ms | WebThreatDefense | Detects theft of passwords
  Wecsvc | Windows Event Collector | Ms | NetworkService | Collects events of other machines
  WEPHOSTSVC | Windows Encryption Provider Host Service | Ms | WepHostSvcGroup | Brokers encryption of others with policies
  wercplsupport | Problem Reports Control Panel Support | Ms | netsvcs | Shows, sends and removes reports of problems
  WerSvc | Windows Error Reporting Service | Mw | WerSvcGroup | Reports faults of programs and offers solutions
  WFDSConMgrSvc | Wi-Fi Direct Services Connection Manager Service | Ms | LocalServiceNetworkRestricted | Connects with displays and docks by radio
  WiaRpc | Still Image Acquisition Events | Ms | LocalSystemNetworkRestricted | Starts programs when images arrive
  wisvc | Windows Insider Service | Ms | netsvcs | Supports those who try versions early
  wlpasvc | Local Profile Assistant Service | Ms | LocalServiceNetworkRestricted | Manages profiles of subscriber modules
  WManSvc | Windows Management Service | Ms | netsvcs | Provisions and manages devices
  wmiApSrv | WMI Performance Adapter | Mw | C:\Windows\system32\wbem\WmiApSrv.exe | Hands counters of providers to clients in the network
  WMPNetworkSvc | Windows Media Player Network Sharing Service | Ms | C:\Program Files\Windows Media Player\wmpnetwk.exe | Shares media libraries with other players
  workfolderssvc | Work Folders | Ms | LocalService | Synchronises files with a server
  WpcMonSvc | Parental Controls | Ms | LocalService | Enforces what parents allow
  WPDBusEnum | Portable Device Enumerator Service | Ms | LocalSystemNetworkRestricted | Enforces policy for portable storage
  WwanSvc | WWAN AutoConfig | Ms | LocalSystemNetworkRestricted | Manages mobile broadband cards
  XblAuthManager | Xbox Live Auth Manager | Ms | netsvcs | Authenticates players
  XblGameSave | Xbox Live Game Save | Ms | netsvcs | Synchronises saved games
  XboxGipSvc | Xbox Accessory Management Service | Ms | netsvcs | Manages accessories of the console
  XboxNetApiSvc | Xbox Live Networking Service | Ms | netsvcs | Supports programming of multiplayer games
  GoogleUpdaterService | Google Updater Service | As | C:\Program Files (x86)\Google\GoogleUpdater\144.0.7547.0\updater.exe --system --windows-service --service=update | Keeps programs of this vendor up to date
  GoogleChromeElevationService | Google Chrome Elevation Service (GoogleChromeElevationService) | Ms | C:\Program Files\Google\Chrome\Application\143.0.7499.193\elevation_service.exe | Lets the browser update with all rights
`);

/** Services of which each signed-in user has an own instance next to the template. */
export const USER_SERVICES = serviceTable(String.raw`
  CDPUserSvc | Connected Devices Platform User Service | Ar | UnistackSvcGroup | Lets the devices of a user find each other
  WpnUserService | Windows Push Notifications User Service | Ar | UnistackSvcGroup | Hosts notifications of a user
  cbdhsvc | Clipboard User Service | Mr | ClipboardSvcGroup | Keeps the history of the clipboard
  OneSyncSvc | Sync Host | Ar | UnistackSvcGroup | Synchronises mail, contacts and calendars
  NPSMSvc | Now Playing Session Manager Service | Mr | LocalService | Knows what is playing and controls it
  PimIndexMaintenanceSvc | Contact Data | Mr | UnistackSvcGroup | Indexes contacts for fast searching
  UserDataSvc | User Data Access | Mr | UnistackSvcGroup | Gives programs structured data of a user
  UnistoreSvc | User Data Storage | Mr | UnistackSvcGroup | Stores structured data of a user
  UdkUserSvc | Udk User Service | Mr | UdkSvcGroup | Coordinates parts of the shell
  webthreatdefusersvc | Web Threat Defense User Service | Ar | LocalSystemNetworkRestricted | Protects passwords of a user
  DevicesFlowUserSvc | DevicesFlow | Ms | DevicesFlow | Connects displays and pairs devices
  DevicePickerUserSvc | DevicePicker | Ms | DevicesFlow | Manages the choice of devices
  DeviceAssociationBrokerSvc | DeviceAssociationBroker | Ms | DevicesFlow | Lets apps pair devices
  ConsentUxUserSvc | ConsentUX User Service | Ms | DevicesFlow | Asks users for consent
  CredentialEnrollmentManagerUserSvc | CredentialEnrollmentManagerUserSvc | Ms | C:\Windows\system32\CredentialEnrollmentManager.exe | Manages the enrolment of credentials
  CaptureService | CaptureService | Ms | LocalService | Lets programs capture the screen
  BluetoothUserService | Bluetooth User Support Service | Ms | BthAppGroup | Supports what radio means to each session
  BcastDVRUserService | GameDVR and Broadcast User Service | Ms | BcastDVRUserService | Records and broadcasts games of a user
  AarSvc | Agent Activation Runtime | Ms | AarSvcGroup | Wakes agents by voice
  MessagingService | MessagingService | Ms | UnistackSvcGroup | Supports text messages of a user
  PenService | PenService | Ms | PenService | Reacts to the buttons of pens
  P9RdrService | P9RdrService | Ms | P9RdrService | Opens file servers of guests
  PrintWorkflowUserSvc | PrintWorkflow | Ms | PrintWorkflow | Supports steps of printing
  CloudBackupRestoreSvc | Cloud Backup and Restore Service | Ms | CloudBackupRestoreSvcGroup | Watches settings and backs them up
`);
