import type { WindowsRole } from './hardware.ts';
import { type WindowsService, windowsServiceTable } from './service-table.ts';

/** What a role adds to the services of every host. */
export const ROLE_SERVICES: Readonly<Record<WindowsRole, readonly WindowsService[]>> = {
  office: windowsServiceTable(String.raw`
    FoxitReaderUpdateService | Foxit PDF Reader Update Service | Ar | C:\Program Files (x86)\Foxit Software\Foxit PDF Reader\FoxitPDFReaderUpdateService.exe | Updates the viewer of documents
    TeamViewer | TeamViewer | Ar | C:\Program Files\TeamViewer\TeamViewer_Service.exe | Lets the help desk see the screen
  `),
  developer: windowsServiceTable(String.raw`
    com.docker.service | Docker Desktop Service | Ar | C:\Program Files\Docker\Docker\com.docker.service | Runs containers with the rights they need
    vmcompute | Hyper-V Host Compute Service | Mr | C:\Windows\system32\vmcompute.exe | Runs containers and machines on the hypervisor
    vmms | Hyper-V Virtual Machine Management | Ar | C:\Windows\system32\vmms.exe | Manages machines on the hypervisor
    WSLService | WSL Service | Ar | C:\Program Files\WSL\wslservice.exe | Runs Linux inside the system
    HNS | Host Network Service | Mr | NetSvcs | Manages virtual networks
    nvagent | Network Virtualization Service | Mr | NetSvcs | Virtualises networks of machines
    sshd | OpenSSH SSH Server | As | C:\Windows\System32\OpenSSH\sshd.exe | Offers encrypted remote shells
    postgresql-x64-17 | postgresql-x64-17 - PostgreSQL Server 17 | Ar | C:\Program Files\PostgreSQL\17\bin\pg_ctl.exe runservice -N postgresql-x64-17 -D D:\pgdata -w | Provides a relational database
  `),
  engineering: windowsServiceTable(String.raw`
    AdskLicensingService | Autodesk Desktop Licensing Service | Ar | C:\Program Files (x86)\Common Files\Autodesk Shared\AdskLicensing\Current\AdskLicensingService\AdskLicensingService.exe | Checks out licences of design programs
    FlexNetLicensingService64 | FlexNet Licensing Service 64 | Mr | C:\Program Files\Common Files\Macrovision Shared\FlexNet Publisher\FNPLicensingService64.exe | Manages licences of several vendors
    NVDisplay.ContainerLocalSystem | NVIDIA Display Container LS | Ar | C:\Windows\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_4a1e0d2c\Display.NvContainer\NVDisplay.Container.exe | Serves the settings of the graphics card
    hasplms | Sentinel LDK License Manager | Ar | C:\Windows\system32\hasplms.exe -run | Reads licences from dongles
  `),
  kiosk: windowsServiceTable(String.raw`
    ScreenConnectClient | Remote Support Client | Ar | C:\Program Files (x86)\Remote Support Client\ClientService.exe | Lets technicians help from afar
  `),
  'domain-controller': windowsServiceTable(String.raw`
    NTDS | Active Directory Domain Services | Ar | C:\Windows\System32\lsass.exe | Holds the directory of the domain
    Kdc | Kerberos Key Distribution Center | Ar | C:\Windows\System32\lsass.exe | Issues tickets to users and services
    DNS | DNS Server | Ar | C:\Windows\system32\dns.exe | Answers questions about names of the domain
    DFSR | DFS Replication | Ar | C:\Windows\system32\DFSRs.exe | Replicates folders between servers
    Dfs | DFS Namespace | Ar | C:\Windows\system32\dfssvc.exe | Unites shares under one name
    ADWS | Active Directory Web Services | Ar | C:\Windows\ADWS\Microsoft.ActiveDirectory.WebServices.exe | Gives the directory a web interface
    IsmServ | Intersite Messaging | Ar | C:\Windows\System32\ismserv.exe | Carries messages between sites
    KdsSvc | Microsoft Key Distribution Service | Mr | C:\Windows\system32\lsass.exe | Derives keys for groups
    DHCPServer | DHCP Server | Ar | DHCPServer | Leases addresses to the network
    NtFrs | File Replication | Ds | C:\Windows\system32\ntfrs.exe | Replicated folders in older domains
  `),
  'file-server': windowsServiceTable(String.raw`
    srmsvc | File Server Resource Manager | Ar | srmsvcs | Enforces quotas and screens files
    SrmReports | File Server Storage Reports Manager | Ms | C:\Windows\system32\srmhost.exe | Reports what fills the storage
    Dfs | DFS Namespace | Ar | C:\Windows\system32\dfssvc.exe | Unites shares under one name
    DFSR | DFS Replication | Ar | C:\Windows\system32\DFSRs.exe | Replicates folders between servers
    ddpsvc | Data Deduplication Service | Mr | ddpsvc | Stores equal parts of files once
    ddpvssvc | Data Deduplication Volume Shadow Copy Service | Ms | ddpvssvc | Backs deduplicated volumes up
    WinTarget | Microsoft iSCSI Software Target | Ar | C:\Windows\System32\WinTarget.exe | Offers block devices to other servers
    VeeamDeploySvc | Veeam Installer Service | Ar | C:\Windows\Veeam\Backup\VeeamDeploymentSvc.exe | Installs the parts of the backup
  `),
  database: windowsServiceTable(String.raw`
    MSSQLSERVER | SQL Server (MSSQLSERVER) | Ar | C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\sqlservr.exe -sMSSQLSERVER | Stores and queries relational data
    SQLSERVERAGENT | SQL Server Agent (MSSQLSERVER) | Ar | C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\SQLAGENT.EXE -i MSSQLSERVER | Runs jobs and raises alerts of the database
    SQLBrowser | SQL Server Browser | Ar | C:\Program Files (x86)\Microsoft SQL Server\90\Shared\sqlbrowser.exe | Tells clients where instances listen
    SQLWriter | SQL Server VSS Writer | Ar | C:\Program Files\Microsoft SQL Server\90\Shared\sqlwriter.exe | Takes part in snapshots of volumes
    SQLTELEMETRY | SQL Server CEIP service (MSSQLSERVER) | Ar | C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\sqlceip.exe -Service | Measures the use of the database
    MSSQLFDLauncher | SQL Full-text Filter Daemon Launcher (MSSQLSERVER) | Mr | C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\fdlauncher.exe -s MSSQL16.MSSQLSERVER | Starts what breaks texts into words
    SSISScaleOutWorker160 | SQL Server Integration Services Scale Out Worker 16.0 | Ms | C:\Program Files\Microsoft SQL Server\160\DTS\Binn\WorkerTool.exe | Carries out packages of integration
  `),
  'web-server': windowsServiceTable(String.raw`
    W3SVC | World Wide Web Publishing Service | Ar | iissvcs | Serves web sites
    WAS | Windows Process Activation Service | Mr | iissvcs | Starts and watches the processes of web applications
    AppHostSvc | Application Host Helper Service | Ar | apphost | Keeps the history of the configuration
    IISADMIN | IIS Admin Service | Ar | C:\Windows\system32\inetsrv\inetinfo.exe | Manages older parts of the web server
    w3logsvc | W3C Logging Service | Mr | apphost | Writes the logs of web sites
    aspnet_state | ASP.NET State Service | Ms | C:\Windows\Microsoft.NET\Framework64\v4.0.30319\aspnet_state.exe | Keeps sessions outside of processes
    Redis | Redis | Ar | C:\Program Files\Redis\redis-server.exe --service-run redis.windows-service.conf | Caches values in memory
  `),
};

/** Services that run on nearly every host. Names are what they are; the words about them are this project's own. */
export const RUNNING_SERVICES = windowsServiceTable(String.raw`
  openITCOCKPITAgent | openITCOCKPIT Monitoring Agent | Ar | C:\Program Files\it-novum\openitcockpit-agent\openitcockpit-agent.exe | Collects the values that the monitoring server evaluates
  EventLog | Windows Event Log | Ar | LocalServiceNetworkRestricted | Keeps the events that programs and the system report
  RpcSs | Remote Procedure Call (RPC) | Ar | rpcss | Finds the servers of COM and remote procedure calls
  DcomLaunch | DCOM Server Process Launcher | Ar | DcomLaunch | Starts COM and DCOM servers when they are asked for
  Power | Power | Ar | DcomLaunch | Carries out the energy plan and tells programs of changes
  PlugPlay | Plug and Play | Mr | DcomLaunch | Recognises devices as they come and go
  BrokerInfrastructure | Background Tasks Infrastructure Service | Ar | DcomLaunch | Decides which background tasks may run
  SystemEventsBroker | System Events Broker | Ar | DcomLaunch | Hands system events on to background work
  RpcEptMapper | RPC Endpoint Mapper | Ar | RPCSS | Resolves interfaces of remote procedure calls to endpoints
  LSM | Local Session Manager | Ar | DcomLaunch | Manages the sessions of local and remote users
  SamSs | Security Accounts Manager | Ar | C:\Windows\system32\lsass.exe | Stores the local accounts and tells others when it is ready
  Netlogon | Netlogon | Ar | C:\Windows\system32\lsass.exe | Keeps a protected channel to a domain controller
  CryptSvc | Cryptographic Services | Ar | NetworkService | Checks signatures of files and maintains trusted roots
  Dhcp | DHCP Client | Ar | LocalServiceNetworkRestricted | Leases addresses and registers them
  Dnscache | DNS Client | Ar | NetworkService | Resolves names and remembers the answers
  LanmanServer | Server | Ar | netsvcs | Shares files, printers and pipes over the network
  LanmanWorkstation | Workstation | Ar | NetworkService | Opens connections to shares of other machines
  nsi | Network Store Interface Service | Ar | LocalService | Tells programs of changes in the network
  NlaSvc | Network Location Awareness | Ar | netprofm | Recognises networks and tells about their properties
  netprofm | Network List Service | Mr | netprofm | Lists the networks a machine has met
  BFE | Base Filtering Engine | Ar | LocalServiceNoNetworkFirewall | Manages the policies of firewall and packet protection
  mpssvc | Windows Defender Firewall | Ar | LocalServiceNoNetworkFirewall | Lets through or stops connections by rules
  WinDefend | Microsoft Defender Antivirus Service | Ar | C:\ProgramData\Microsoft\Windows Defender\Platform\4.18.25110.5-0\MsMpEng.exe | Guards against malicious and unwanted software
  Schedule | Task Scheduler | Ar | netsvcs | Runs tasks at their times and events
  ProfSvc | User Profile Service | Ar | UserProfileService | Loads and unloads the profiles of users
  gpsvc | Group Policy Client | Ar | GPSvcGroup | Applies the settings that administrators have made
  W32Time | Windows Time | Ar | LocalService | Keeps date and time in step with a source in the network
  Winmgmt | Windows Management Instrumentation | Ar | netsvcs | Answers questions about the system through one model
  EventSystem | COM+ Event System | Ar | LocalService | Distributes events to components that subscribe to them
  SENS | System Event Notification Service | Ar | netsvcs | Watches system events and tells COM+ subscribers
  Themes | Themes | Ar | netsvcs | Manages the look of the user interface
  UserManager | User Manager | Ar | netsvcs | Gives programs what they need to work with several users
  CoreMessagingRegistrar | CoreMessaging | Ar | LocalServiceNoNetwork | Carries messages between parts of the system
  StateRepository | State Repository Service | Ar | appmodel | Keeps the state of installed apps
  WpnService | Windows Push Notifications System Service | Ar | netsvcs | Hosts the platform of notifications
  iphlpsvc | IP Helper | Ar | NetSvcs | Provides tunnels that carry version 6 over version 4
  Spooler | Print Spooler | Ar | C:\Windows\System32\spoolsv.exe | Queues print jobs and talks to printers
  SysMain | SysMain | Ar | LocalSystemNetworkRestricted | Keeps and improves performance over time
  TrkWks | Distributed Link Tracking Client | Ar | LocalSystemNetworkRestricted | Follows files that move between volumes
  DPS | Diagnostic Policy Service | Ar | LocalServiceNoNetwork | Detects faults and proposes what to do about them
  DiagTrack | Connected User Experiences and Telemetry | Ar | utcsvc | Collects measurements about the use of features
  DusmSvc | Data Usage | Ar | LocalServiceNetworkRestricted | Counts traffic and enforces its limits
  FontCache | Windows Font Cache Service | Ar | LocalService | Speeds programs up by caching fonts
  ShellHWDetection | Shell Hardware Detection | Ar | netsvcs | Tells of events of hardware that starts programs
  AudioEndpointBuilder | Windows Audio Endpoint Builder | Ar | LocalSystemNetworkRestricted | Manages the devices for sound
  Audiosrv | Windows Audio | Ar | LocalServiceNetworkRestricted | Mixes and plays the sound of programs
  Wcmsvc | Windows Connection Manager | Ar | LocalServiceNetworkRestricted | Connects and disconnects by what networks are there
  WlanSvc | WLAN AutoConfig | Ar | LocalSystemNetworkRestricted | Finds wireless networks and connects to them
  SecurityHealthService | Windows Security Service | Mr | C:\Windows\system32\SecurityHealthService.exe | Shows the state of protection in one place
  wscsvc | Security Center | Ar | LocalServiceNetworkRestricted | Watches and reports how the machine is protected
  WdNisSvc | Microsoft Defender Antivirus Network Inspection Service | Mr | C:\ProgramData\Microsoft\Windows Defender\Platform\4.18.25110.5-0\NisSrv.exe | Looks for attacks on known weaknesses in protocols
  MDCoreSvc | Microsoft Defender Core Service | Ar | C:\ProgramData\Microsoft\Windows Defender\Platform\4.18.25110.5-0\MpDefenderCoreService.exe | Watches that protection works and stays fast
  TimeBrokerSvc | Time Broker | Mr | LocalServiceNetworkRestricted | Coordinates background work by time
  TokenBroker | Web Account Manager | Mr | netsvcs | Signs programs in with accounts of the web
  Appinfo | Application Information | Mr | netsvcs | Starts programs with additional rights
  WinHttpAutoProxySvc | WinHTTP Web Proxy Auto-Discovery Service | Mr | LocalServiceNetworkRestricted | Finds out which proxy to use
  SSDPSRV | SSDP Discovery | Mr | LocalServiceAndNoImpersonation | Finds devices that announce themselves
  lmhosts | TCP/IP NetBIOS Helper | Mr | LocalServiceNetworkRestricted | Resolves the older kind of names
  KeyIso | CNG Key Isolation | Mr | C:\Windows\system32\lsass.exe | Keeps private keys in a process of their own
  VaultSvc | Credential Manager | Mr | C:\Windows\system32\lsass.exe | Stores credentials and hands them out again
  CDPSvc | Connected Devices Platform Service | Ar | LocalService | Lets devices of a user find each other
  camsvc | Capability Access Manager Service | Mr | appmodel | Decides what apps may use of the machine
  ClipSVC | Client License Service (ClipSVC) | Mr | wsappx | Checks the licences of apps from the store
  AppXSvc | AppX Deployment Service (AppXSVC) | Mr | wsappx | Installs and removes apps from the store
  LicenseManager | Windows License Manager Service | Mr | LocalService | Provides licences for apps from the store
  InstallService | Microsoft Store Install Service | Mr | netsvcs | Installs and updates apps from the store
  UsoSvc | Update Orchestrator Service | Ar | netsvcs | Plans when updates are downloaded and installed
  DoSvc | Delivery Optimization | Ar | NetworkService | Shares downloads with other machines in the network
  StorSvc | Storage Service | Ar | LocalSystemNetworkRestricted | Manages settings of storage and external drives
  WSearch | Windows Search | Ar | C:\Windows\system32\SearchIndexer.exe /Embedding | Indexes files, mail and other content for searching
  wlidsvc | Microsoft Account Sign-in Assistant | Mr | netsvcs | Lets users sign in with an account of the vendor
  WdiServiceHost | Diagnostic Service Host | Mr | LocalService | Hosts diagnostics that run under a limited account
  WdiSystemHost | Diagnostic System Host | Mr | LocalSystemNetworkRestricted | Hosts diagnostics that run with all rights
  NcbService | Network Connection Broker | Mr | LocalSystemNetworkRestricted | Lets apps be notified from the network
  DeviceAssociationService | Device Association Service | Mr | LocalSystemNetworkRestricted | Pairs the system with wired and wireless devices
  PcaSvc | Program Compatibility Assistant Service | Ar | LocalSystemNetworkRestricted | Notices programs that have trouble with this version
  lfsvc | Geolocation Service | Mr | netsvcs | Knows where the machine is and which places matter
  DispBrokerDesktopSvc | Display Policy Service | Ar | LocalService | Manages the connection of local and remote displays
  DisplayEnhancementService | Display Enhancement Service | Mr | LocalSystemNetworkRestricted | Manages brightness and colour of displays
  BDESVC | BitLocker Drive Encryption Service | Mr | netsvcs | Unlocks and manages encrypted volumes
  TabletInputService | Text Input Management Service | Ar | LocalSystemNetworkRestricted | Takes in text from keyboard, pen and speech
  SgrmBroker | System Guard Runtime Monitor Broker | Ar | C:\Windows\system32\Sgrm\SgrmBroker.exe | Watches and attests the integrity of the platform
  RmSvc | Radio Management Service | Mr | LocalServiceNetworkRestricted | Switches radios off and on for flights
  BTAGService | Bluetooth Audio Gateway Service | Mr | LocalServiceNetworkRestricted | Lets headsets carry calls
  bthserv | Bluetooth Support Service | Mr | LocalService | Finds and pairs devices near by
  BthAvctpSvc | AVCTP service | Mr | LocalService | Carries remote control of players over radio
  hidserv | Human Interface Device Service | Mr | LocalSystemNetworkRestricted | Makes the additional keys of keyboards work
  fdPHost | Function Discovery Provider Host | Mr | LocalService | Hosts what finds services in the network
  FDResPub | Function Discovery Resource Publication | Mr | LocalServiceAndNoImpersonation | Publishes the machine so that others find it
  PolicyAgent | IPsec Policy Agent | Mr | NetworkServiceNetworkRestricted | Protects packets by authentication and encryption
  IKEEXT | IKE and AuthIP IPsec Keying Modules | Ar | netsvcs | Negotiates the keys of protected connections
  RasMan | Remote Access Connection Manager | Ar | netsvcs | Manages dial-up and private connections
  SstpSvc | Secure Socket Tunneling Protocol Service | Mr | LocalService | Carries private connections over the web's port
  SessionEnv | Remote Desktop Configuration | Mr | netsvcs | Does for remote sessions what needs all rights
  TermService | Remote Desktop Services | Mr | NetworkService | Lets users work on the machine from afar
  UmRdpService | Remote Desktop Services UserMode Port Redirector | Mr | LocalSystemNetworkRestricted | Redirects printers and drives of remote sessions
  CertPropSvc | Certificate Propagation | Mr | netsvcs | Copies certificates from cards to the user's store
  WinRM | Windows Remote Management (WS-Management) | Ar | NetworkService | Listens for requests that manage the machine
  jhi_service | Intel(R) Dynamic Application Loader Host Interface Service | Ar | C:\Windows\System32\DriverStore\FileRepository\dal.inf_amd64_5d3f1c88\jhi_service.exe | Gives programs access to small applets in the chipset
  igccservice | Intel(R) Graphics Command Center Service | Ar | C:\Windows\System32\DriverStore\FileRepository\igcc_dch.inf_amd64_91a4e702\OneApp.IGCC.WinService.exe | Serves the settings of the graphics unit
  RtkAudioUniversalService | Realtek Audio Universal Service | Ar | C:\Windows\System32\RtkAudUService64.exe | Tunes the sound chip and notices plugs
  ClickToRunSvc | Microsoft Office Click-to-Run Service | Ar | C:\Program Files\Common Files\Microsoft Shared\ClickToRun\OfficeClickToRun.exe /service | Keeps office programs up to date in the background
  IntuneManagementExtension | Microsoft Intune Management Extension | Ar | C:\Program Files (x86)\Microsoft Intune Management Extension\Microsoft.Management.Services.IntuneWindowsAgent.exe | Carries out scripts and installations of the administration
`);

/** Services that are there but run rarely or never. */
export const STOPPED_SERVICES = windowsServiceTable(String.raw`
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
export const USER_SERVICES = windowsServiceTable(String.raw`
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
