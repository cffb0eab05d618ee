import { serviceTable } from './service-table.ts';

/** Services that run on nearly every host. Names are what they are; the words about them are this project's own. */
export const RUNNING_SERVICES = serviceTable(String.raw`
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
