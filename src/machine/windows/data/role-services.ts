import type { WindowsRole } from './roles.ts';
import { type ServiceLine, serviceTable } from './service-table.ts';

/** What a role adds to the services of every host. */
export const ROLE_SERVICES: Readonly<Record<WindowsRole, readonly ServiceLine[]>> = {
  office: serviceTable(String.raw`
    FoxitReaderUpdateService | Foxit PDF Reader Update Service | Ar | C:\Program Files (x86)\Foxit Software\Foxit PDF Reader\FoxitPDFReaderUpdateService.exe | Updates the viewer of documents
    TeamViewer | TeamViewer | Ar | C:\Program Files\TeamViewer\TeamViewer_Service.exe | Lets the help desk see the screen
  `),
  developer: serviceTable(String.raw`
    com.docker.service | Docker Desktop Service | Ar | C:\Program Files\Docker\Docker\com.docker.service | Runs containers with the rights they need
    vmcompute | Hyper-V Host Compute Service | Mr | C:\Windows\system32\vmcompute.exe | Runs containers and machines on the hypervisor
    vmms | Hyper-V Virtual Machine Management | Ar | C:\Windows\system32\vmms.exe | Manages machines on the hypervisor
    WSLService | WSL Service | Ar | C:\Program Files\WSL\wslservice.exe | Runs Linux inside the system
    HNS | Host Network Service | Mr | NetSvcs | Manages virtual networks
    nvagent | Network Virtualization Service | Mr | NetSvcs | Virtualises networks of machines
    sshd | OpenSSH SSH Server | As | C:\Windows\System32\OpenSSH\sshd.exe | Offers encrypted remote shells
    postgresql-x64-17 | postgresql-x64-17 - PostgreSQL Server 17 | Ar | C:\Program Files\PostgreSQL\17\bin\pg_ctl.exe runservice -N postgresql-x64-17 -D D:\pgdata -w | Provides a relational database
  `),
  engineering: serviceTable(String.raw`
    AdskLicensingService | Autodesk Desktop Licensing Service | Ar | C:\Program Files (x86)\Common Files\Autodesk Shared\AdskLicensing\Current\AdskLicensingService\AdskLicensingService.exe | Checks out licences of design programs
    FlexNetLicensingService64 | FlexNet Licensing Service 64 | Mr | C:\Program Files\Common Files\Macrovision Shared\FlexNet Publisher\FNPLicensingService64.exe | Manages licences of several vendors
    NVDisplay.ContainerLocalSystem | NVIDIA Display Container LS | Ar | C:\Windows\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_4a1e0d2c\Display.NvContainer\NVDisplay.Container.exe | Serves the settings of the graphics card
    hasplms | Sentinel LDK License Manager | Ar | C:\Windows\system32\hasplms.exe -run | Reads licences from dongles
  `),
  kiosk: serviceTable(String.raw`
    ScreenConnectClient | Remote Support Client | Ar | C:\Program Files (x86)\Remote Support Client\ClientService.exe | Lets technicians help from afar
  `),
  'domain-controller': serviceTable(String.raw`
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
  'file-server': serviceTable(String.raw`
    srmsvc | File Server Resource Manager | Ar | srmsvcs | Enforces quotas and screens files
    SrmReports | File Server Storage Reports Manager | Ms | C:\Windows\system32\srmhost.exe | Reports what fills the storage
    Dfs | DFS Namespace | Ar | C:\Windows\system32\dfssvc.exe | Unites shares under one name
    DFSR | DFS Replication | Ar | C:\Windows\system32\DFSRs.exe | Replicates folders between servers
    ddpsvc | Data Deduplication Service | Mr | ddpsvc | Stores equal parts of files once
    ddpvssvc | Data Deduplication Volume Shadow Copy Service | Ms | ddpvssvc | Backs deduplicated volumes up
    WinTarget | Microsoft iSCSI Software Target | Ar | C:\Windows\System32\WinTarget.exe | Offers block devices to other servers
    VeeamDeploySvc | Veeam Installer Service | Ar | C:\Windows\Veeam\Backup\VeeamDeploymentSvc.exe | Installs the parts of the backup
  `),
  database: serviceTable(String.raw`
    MSSQLSERVER | SQL Server (MSSQLSERVER) | Ar | C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\sqlservr.exe -sMSSQLSERVER | Stores and queries relational data
    SQLSERVERAGENT | SQL Server Agent (MSSQLSERVER) | Ar | C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\SQLAGENT.EXE -i MSSQLSERVER | Runs jobs and raises alerts of the database
    SQLBrowser | SQL Server Browser | Ar | C:\Program Files (x86)\Microsoft SQL Server\90\Shared\sqlbrowser.exe | Tells clients where instances listen
    SQLWriter | SQL Server VSS Writer | Ar | C:\Program Files\Microsoft SQL Server\90\Shared\sqlwriter.exe | Takes part in snapshots of volumes
    SQLTELEMETRY | SQL Server CEIP service (MSSQLSERVER) | Ar | C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\sqlceip.exe -Service | Measures the use of the database
    MSSQLFDLauncher | SQL Full-text Filter Daemon Launcher (MSSQLSERVER) | Mr | C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\fdlauncher.exe -s MSSQL16.MSSQLSERVER | Starts what breaks texts into words
    SSISScaleOutWorker160 | SQL Server Integration Services Scale Out Worker 16.0 | Ms | C:\Program Files\Microsoft SQL Server\160\DTS\Binn\WorkerTool.exe | Carries out packages of integration
  `),
  'web-server': serviceTable(String.raw`
    W3SVC | World Wide Web Publishing Service | Ar | iissvcs | Serves web sites
    WAS | Windows Process Activation Service | Mr | iissvcs | Starts and watches the processes of web applications
    AppHostSvc | Application Host Helper Service | Ar | apphost | Keeps the history of the configuration
    IISADMIN | IIS Admin Service | Ar | C:\Windows\system32\inetsrv\inetinfo.exe | Manages older parts of the web server
    w3logsvc | W3C Logging Service | Mr | apphost | Writes the logs of web sites
    aspnet_state | ASP.NET State Service | Ms | C:\Windows\Microsoft.NET\Framework64\v4.0.30319\aspnet_state.exe | Keeps sessions outside of processes
    Redis | Redis | Ar | C:\Program Files\Redis\redis-server.exe --service-run redis.windows-service.conf | Caches values in memory
  `),
};
