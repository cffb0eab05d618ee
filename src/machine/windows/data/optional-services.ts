import { serviceTable } from './service-table.ts';

/** What some hosts run besides, each with the percent of hosts that have it. */
export const OPTIONAL_SERVICES: readonly {
  readonly percent: number;
  readonly line: ReturnType<typeof serviceTable>[number];
}[] = [
  ...those(
    22,
    String.raw`
      AdobeARMservice | Adobe Acrobat Update Service | Ar | C:\Program Files (x86)\Common Files\Adobe\ARM\1.0\armsvc.exe | Keeps the viewer of documents up to date
      vpnagent | Cisco Secure Client - AnyConnect VPN Agent | Ar | C:\Program Files (x86)\Cisco\Cisco Secure Client\vpnagent.exe | Connects to the company's network
      NSClientpp | NSClient++ Monitoring Agent | Ar | C:\Program Files\NSClient++\nscp.exe | Answers checks of another monitoring
    `,
  ),
  ...those(
    12,
    String.raw`
      SplunkForwarder | SplunkForwarder Service | Ar | C:\Program Files\SplunkUniversalForwarder\bin\splunkd.exe service | Ships log files
      CSFalconService | CrowdStrike Falcon Sensor Service | Ar | C:\Program Files\CrowdStrike\CSFalconService.exe | Watches for attacks
      zabbix-agent2 | Zabbix Agent 2 | Ar | C:\Program Files\Zabbix Agent 2\zabbix_agent2.exe -c zabbix_agent2.conf | Answers checks of another monitoring
      FileZillaServer | FileZilla Server | Ar | C:\Program Files\FileZilla Server\filezilla-server.exe | Exchanges files
      SNMP | SNMP Service | Ar | C:\Windows\System32\snmp.exe | Answers questions of network management
      VeeamEndpointBackupSvc | Veeam Agent for Microsoft Windows | Ar | C:\Program Files\Veeam\Endpoint Backup\Veeam.EndPoint.Backup.exe | Backs the machine up
      windows_exporter | windows_exporter | Ar | C:\Program Files\windows_exporter\windows_exporter.exe | Figures of the host for Prometheus
    `,
  ),
];

function those(percent: number, lines: string) {
  return serviceTable(lines).map((line) => ({ percent, line }));
}
