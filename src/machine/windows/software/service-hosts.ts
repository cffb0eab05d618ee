import { hash32 } from '../../../kernel/random.ts';
import { commandLine, type Program, programOf } from '../data/program-table.ts';
import type { ServiceLine } from '../data/service-table.ts';

const SVCHOST = String.raw`C:\Windows\system32\svchost.exe`;
/** Groups whose services share one process; all others have one each since memory is plentiful. */
const SHARED_GROUPS = ['rpcss', 'dcomlaunch', 'localservicenonetworkfirewall', 'unistacksvcgroup'];
const ALONE = ['LSM'];

/** What is known to be large or busy; other hosts of services are small and idle. */
const WEIGHTY: Readonly<Record<string, readonly [memoryMib: number, handles: number, work: number]>> = {
  'MsMpEng.exe': [236, 1150, 0.08],
  'MpDefenderCoreService.exe': [14, 480, 0.005],
  'SearchIndexer.exe': [44, 980, 0.02],
  'openitcockpit-agent.exe': [26, 330, 0.01],
  'spoolsv.exe': [9, 520, 0.002],
  'sqlservr.exe': [5200, 1900, 0.55],
  'SQLAGENT.EXE': [38, 720, 0.02],
  'dns.exe': [148, 5500, 0.12],
  'Microsoft.ActiveDirectory.WebServices.exe': [52, 610, 0.04],
  'DFSRs.exe': [44, 560, 0.08],
  'WinTarget.exe': [24, 420, 0.1],
  'redis-server.exe': [190, 260, 0.08],
  'inetinfo.exe': [9, 410, 0.01],
  'OfficeClickToRun.exe': [34, 720, 0.005],
  Winmgmt: [18, 460, 0.03],
  Schedule: [6, 520, 0.004],
  EventLog: [16, 580, 0.006],
  Dnscache: [5, 330, 0.004],
  SysMain: [58, 260, 0.01],
  LanmanServer: [4, 310, 0.06],
  srmsvc: [30, 390, 0.05],
  W3SVC: [24, 610, 0.03],
};

/** How the registry spells the command of a service. */
export function binPath({ host }: ServiceLine): string {
  return host.includes('\\') ? commandLine(host) : `${SVCHOST} -k ${host} -p`;
}

/** Services of the same process have the same key. */
export function processKey({ name, host }: ServiceLine): string {
  if (host.includes('\\')) return programOf(host).path.toLowerCase();
  const shared = SHARED_GROUPS.includes(host.toLowerCase()) && !ALONE.includes(name);
  return shared ? host.toLowerCase() : `${host}/${name}`;
}

/** The process that runs a service. */
export function hostProgram(line: ServiceLine): Program {
  const { name, host } = line;
  const own = host.includes('\\');
  const alone = processKey(line) !== host.toLowerCase();
  const program = own ? programOf(host) : programOf(`${SVCHOST} -k ${host} -p${alone ? ` -s ${name}` : ''}`);
  const chance = hash32(0, `service.${name}`) / 0x1_0000_0000;
  const [memoryMib, handles, work] = WEIGHTY[own ? program.name : name] ?? [
    1.4 + 9 * chance ** 2,
    120 + 380 * chance,
    0,
  ];
  return { ...program, memoryMib, handles: Math.floor(handles), work };
}
