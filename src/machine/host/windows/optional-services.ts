import type { Draw } from '../draws.ts';
import { textTable } from '../text-table.ts';
import { type WindowsService, windowsService } from './service-table.ts';

/** A service that only some hosts have. */
export type OptionalService = {
  readonly line: WindowsService;
  readonly draw: Draw;
  /** Whether only workplaces have it, or only servers. */
  readonly on: 'client' | 'server' | 'both';
  /** The program that brings it, as the list of programs has it; `~` stands for its newest revision. */
  readonly program: { readonly name: string; readonly version: string; readonly publisher: string } | undefined;
};

/**
 * Lines of `name | display name | code | host | about`, as in other tables of services, and then `when | program | version |
 * publisher`. When is `client`, `server` or `both`, and `30%` for so many of the hosts or `maker:0-30` for those whose
 * chance of that name lies there.
 */
export const OPTIONAL_SERVICES: readonly OptionalService[] = optionalTable(String.raw`
  gupdate | Google Update Service (gupdate) | As | C:\Program Files (x86)\Google\Update\GoogleUpdate.exe /svc | Keeps the browser up to date | client 55% | Google Chrome | 143.0.7499.~ | Google LLC
  MozillaMaintenance | Mozilla Maintenance Service | Ms | C:\Program Files (x86)\Mozilla Maintenance Service\maintenanceservice.exe | Updates the browser without asking | client 40% | Mozilla Firefox (x64 en-US) | 147.0.~ | Mozilla
  AdobeARMservice | Adobe Acrobat Update Service | Ar | C:\Program Files (x86)\Common Files\Adobe\ARM\1.0\armsvc.exe | Keeps the viewer of documents up to date | client 45% | Adobe Acrobat (64-bit) | 25.001.209~ | Adobe
  vpnagent | Cisco Secure Client - AnyConnect VPN Agent | Ar | C:\Program Files (x86)\Cisco\Cisco Secure Client\vpnagent.exe | Connects to the company's network | client vpn:0-35 | Cisco Secure Client - AnyConnect VPN | 5.1.~ | Cisco Systems, Inc.
  FA_Scheduler | FortiClient Service Scheduler | Ar | C:\Program Files\Fortinet\FortiClient\scheduler.exe | Runs the parts of the client | client vpn:35-60 | FortiClient VPN | 7.4.~ | Fortinet Technologies Inc
  OpenVPNServiceInteractive | OpenVPN Interactive Service | Ar | C:\Program Files\OpenVPN\bin\openvpnserv.exe | Sets up tunnels for users | client vpn:60-75 | OpenVPN 2.6.~ amd64 | 2.6.~ | OpenVPN, Inc.
  DellClientManagementService | Dell Client Management Service | Ar | C:\Program Files (x86)\Dell\UpdateService\ServiceShell.exe | Looks for drivers and firmware | client maker:0-34 | Dell Command | 5.6.~ | Dell Inc.
  HPAppHelperCap | HP App Helper HSA Service | Ar | C:\Windows\System32\DriverStore\FileRepository\hpcustomcapcomp.inf_amd64_7b1c\x64\AppHelperCap.exe | Answers the programs of the manufacturer | client maker:34-60 | HP Support Assistant | 9.47.~ | HP Inc.
  LITSSVC | Lenovo Intelligent Thermal Solution Service | Ar | C:\Windows\System32\DriverStore\FileRepository\litsdrv.inf_amd64_0c2e\LITSSvc.exe | Balances noise and speed | client maker:60-86 | Lenovo Vantage Service | 4.2.~ | Lenovo Group Ltd.
  cphs | Intel(R) Content Protection HECI Service | Mr | C:\Windows\System32\DriverStore\FileRepository\iigd_dch.inf_amd64_3f0a\IntelCpHeciSvc.exe | Protects contents that are played | client graphics:0-62 | Intel(R) Graphics Software | 25.35.~ | Intel Corporation
  AMD External Events Utility | AMD External Events Utility | Ar | C:\Windows\System32\DriverStore\FileRepository\u0410.inf_amd64_91bd\atiesrxx.exe | Follows displays and power | client graphics:62-88 | AMD Software | 25.12.~ | Advanced Micro Devices, Inc.
  ZoomCptService | Zoom Sharing Service | Ms | C:\Program Files\Common Files\Zoom\Support\CptService.exe | Shares screens in meetings | client 35% | Zoom Workplace (64-bit) | 6.6.~ | Zoom Communications, Inc.
  LogiFacecamService | Logi Options+ Service | Ar | C:\Program Files\LogiOptionsPlus\logioptionsplus_updater.exe --run-as-service | Updates mice and keyboards | client 22% | Logi Options+ | 1.96.~ | Logitech
  DisplayLinkService | DisplayLinkManager | Ar | C:\Program Files\DisplayLink Core Software\DisplayLinkManager.exe | Drives displays over USB | client 24% | DisplayLink Graphics | 12.0.~ | DisplayLink Corp.
  WTabletServicePro | Wacom Professional Service | Ar | C:\Program Files\Tablet\Wacom\WTabletServicePro.exe | Serves pens and tablets | client 9% | Wacom Tablet | 6.4.~ | Wacom Technology Corp.
  CSFalconService | CrowdStrike Falcon Sensor Service | Ar | C:\Program Files\CrowdStrike\CSFalconService.exe | Watches for attacks | both guard:0-22 | CrowdStrike Windows Sensor | 7.30.~ | CrowdStrike, Inc.
  SentinelAgent | Sentinel Agent | Ar | C:\Program Files\SentinelOne\Sentinel Agent\SentinelAgent.exe | Watches for attacks | both guard:22-36 | Sentinel Agent | 24.2.~ | SentinelOne
  Sophos MCS Agent | Sophos MCS Agent | Ar | C:\Program Files\Sophos\Management Communications System\Endpoint\McsAgent.exe | Takes orders from the console | both guard:36-48 | Sophos Endpoint Agent | 2025.2.~ | Sophos Limited
  SplunkForwarder | SplunkForwarder Service | Ar | C:\Program Files\SplunkUniversalForwarder\bin\splunkd.exe service | Ships log files | both 20% | UniversalForwarder | 10.0.~ | Splunk, Inc.
  NSClientpp | NSClient++ Monitoring Agent | Ar | C:\Program Files\NSClient++\nscp.exe | Answers checks of another monitoring | both 24% | NSClient++ (x64) | 0.9.~ | Michael Medin
  zabbix-agent2 | Zabbix Agent 2 | Ar | C:\Program Files\Zabbix Agent 2\zabbix_agent2.exe -c zabbix_agent2.conf | Answers checks of another monitoring | both 16% | Zabbix Agent 2 (64-bit) | 7.4.~.2400 | Zabbix SIA
  TeamViewer | TeamViewer | Ar | C:\Program Files\TeamViewer\TeamViewer_Service.exe | Lets the help desk see the screen | both 25% | TeamViewer | 15.72.~ | TeamViewer
  VeeamEndpointBackupSvc | Veeam Agent for Microsoft Windows | Ar | C:\Program Files\Veeam\Endpoint Backup\Veeam.EndPoint.Backup.exe | Backs the machine up | both 20% | Veeam Agent for Microsoft Windows | 13.0.~ | Veeam Software Group GmbH
  SNMP | SNMP Service | Ar | C:\Windows\System32\snmp.exe | Answers questions of network management | both 20%
  wazuh | Wazuh | Ar | C:\Program Files (x86)\ossec-agent\wazuh-agent.exe | Reports of security | both 15% | Wazuh Agent | 4.14.~ | Wazuh, Inc.
  salt-minion | salt-minion | Ar | C:\Program Files\Salt Project\Salt\ssm.exe | Agent of the configuration | both 14% | Salt Minion 3007.~ (Python 3) | 3007.~ | Broadcom Inc.
  VMTools | VMware Tools | Ar | C:\Program Files\VMware\VMware Tools\vmtoolsd.exe | Guest services for the hypervisor | server hypervisor:0-52 | VMware Tools | 13.0.5.24915695 | Broadcom Inc.
  QEMU-GA | QEMU Guest Agent | Ar | C:\Program Files\Qemu-ga\qemu-ga.exe -d --retry-path | Guest services for the hypervisor | server hypervisor:52-76 | QEMU guest agent | 110.0.~ | Red Hat, Inc.
  windows_exporter | windows_exporter | Ar | C:\Program Files\windows_exporter\windows_exporter.exe | Figures of the host for Prometheus | server 35% | windows_exporter | 0.31.~ | prometheus-community
  himds | Azure Hybrid Instance Metadata Service | Ar | C:\Program Files\AzureConnectedMachineAgent\himds.exe | Ties the machine to the cloud | server 30% | Azure Connected Machine Agent | 1.58.~ | Microsoft Corporation
  HealthService | Microsoft Monitoring Agent | Ar | C:\Program Files\Microsoft Monitoring Agent\Agent\HealthService.exe | Reports to the console | server 30% | Microsoft Monitoring Agent | 10.20.18069.0 | Microsoft Corporation
  bacula-fd | Bacula File Backup | Ar | C:\Program Files\Bacula\bacula-fd.exe /service | Agent of the backup | server 18% | Bacula Enterprise File Daemon | 18.2.~ | Bacula Systems
  NetBackup Client Service | NetBackup Client Service | Ar | C:\Program Files\Veritas\NetBackup\bin\bpcd.exe | Agent of the backup | server 14% | Veritas NetBackup Client | 10.5.~ | Veritas Technologies LLC
  FileZillaServer | FileZilla Server | Ar | C:\Program Files\FileZilla Server\filezilla-server.exe | Exchanges files | server 12% | FileZilla Server 1.12.~ | 1.12.~ | Tim Kosse
  npcap_watch | Npcap Packet Driver Monitor | As | C:\Program Files\Npcap\CheckStatus.exe | Checks the driver at the start | server 22% | Npcap | 1.83 | Nmap Project
  Tenable Nessus Agent | Tenable Nessus Agent | Ar | C:\Program Files\Tenable\Nessus Agent\nessus-service.exe | Looks for weaknesses | server 24% | Nessus Agent (x64) | 11.0.~ | Tenable, Inc.
  QualysAgent | Qualys Cloud Agent | Ar | C:\Program Files\Qualys\QualysAgent\QualysAgent.exe | Looks for weaknesses | server 18% | Qualys Cloud Security Agent | 6.3.~ | Qualys, Inc.
  MSMQ | Message Queuing | Ar | C:\Windows\system32\mqsvc.exe | Carries messages between programs | server 12%
`);

function optionalTable(lines: string): readonly OptionalService[] {
  return textTable(lines).map((fields): OptionalService => {
    const [name = '', , , , , when = '', program, version = '', publisher = ''] = fields;
    const [on = 'both', chance = ''] = when.split(' ');
    return {
      line: windowsService(fields),
      draw: drawOf(chance, name),
      on: on === 'client' || on === 'server' ? on : 'both',
      program: program === undefined ? undefined : { name: program, version, publisher },
    };
  });
}

function drawOf(chance: string, service: string): Draw {
  const [, name = `windows.${service}`, from = '0', to = '0'] = /^(?:(\w+):(\d+)-|)(\d+)%?$/.exec(chance) ?? [];
  return { name, from: Number(from) / 100, to: Number(to) / 100 };
}
