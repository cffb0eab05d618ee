import { MIB } from '../../../kernel/units.ts';
import { type Cell, type Cells, nth, rowAt, valueAt } from '../../document/cells.ts';
import { integer, type Node, type Optional, optional, tenths, text } from '../../document/nodes.ts';
import type { HostGuests } from '../../host/linux/guests.ts';
import { type Daemon, DOCKER_UNIT, type Hypervisor } from '../../host/linux/services.ts';
import {
  type Arranged,
  isAgent,
  LIVES_OF_A_PROCESS,
  lifeAt,
  type ServiceState,
  type ServiceStates,
} from '../../host/linux/software.ts';
import { type HostMemory, pages } from '../../host/memory.ts';
import { type Incident, ofKind } from '../../incidents/incident.ts';
import { outageOf } from '../../incidents/outages.ts';
import { type Fill, inTurn, type Part } from '../../part.ts';
import { keyOf, type Moment, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';
import { containerProcesses, machineProcesses, PIDS_OF_A_CONTAINER, PIDS_OF_A_MACHINE } from './linux-guests.ts';
import { type LaterInput, laterProcesses } from './linux-later.ts';
import {
  memoryTenths,
  type ProcessTable,
  processFigures,
  processNode,
  processTable,
  runawayProcesses,
} from './posix.ts';

type LinuxProcessesInput = {
  readonly cores: number;
  readonly memory: HostMemory;
  readonly init: Daemon;
  /** What runs from boot on, and how the services stand that it belongs to. */
  readonly daemons: readonly Arranged[];
  readonly states: ServiceStates;
  /** How many threads the kernel has. */
  readonly threads: number;
  readonly later: Pick<LaterInput, 'count' | 'cronJob' | 'sessions' | 'names'>;
  /** What can happen to them. */
  readonly incidents: readonly Incident[];
  readonly guests: HostGuests;
  readonly hypervisor: Hypervisor;
};

const PROCESSES = streamLabel('processes');
const PORTS = streamLabel('processes.ports');
/** Daemons start after the kernel's threads; what comes and goes later has numbers far above. */
const PID_GAP = 19;
const BOOT_SPREAD = 400;
const LATER_PIDS = 21_000;
const RUNAWAY_PIDS = 100;

/** The check `processes` of a Linux host: kernel threads, daemons that stay, and a few that come and go. */
export function linuxProcesses(input: LinuxProcessesInput, cells: Cells): Part {
  const { memory, states, cores, incidents, guests } = input;
  const threads = kernelThreads(cores, input.threads);
  const table = processTable(input.daemons.length, cells);
  const daemons = input.daemons.map((arranged) => ({ ...arranged, state: states.of(arranged.service) }));
  const leaking = ofKind(incidents, 'memory-leak').length > 0 ? leakingPlace(daemons) : -1;
  const pids = pidPlan(threads.length, daemons.length, guests);
  const worked = cells.one();
  const ports = cells.column(daemons.length);
  const agent = daemons.findIndex(({ daemon }) => isAgent(daemon));
  const later = laterProcesses(
    { ...input.later, memory, lowestPid: pids.later, parent: agent < 0 ? undefined : nth(table.pid, agent) },
    cells,
  );
  const init = initPart(input, cells);
  const runaway = runawayProcesses({ ...input, firstPid: pids.runaway, worked }, cells);
  const containers = containerPart(input, { daemons, table, firstPid: pids.containers }, cells);
  const machines = machinePart(input, pids.machines, cells);
  const sharers = daemons.map(({ daemon, state }) => ({ ...daemon, running: state?.running }));
  const nodes = daemons.map((listed, place) => {
    const node = daemonNode(listed, { table, place, port: nth(ports, place) });
    return listed.state?.running === undefined ? node : optional(listed.state.running, node);
  });
  return {
    node: [
      init.node,
      ...threads.map(threadNode),
      ...nodes,
      ...containers.nodes,
      ...machines.nodes,
      ...runaway.nodes,
      ...later.nodes,
    ],
    fill: inTurn([
      init.fill,
      processFigures(
        { sharers, memory, cores, busyOf: busySinceBoot, leaking, guests: guests.all, around: -1 },
        table,
        worked,
      ),
      pidFill(daemons, { table, ports, pids, leaking, incidents }),
      containers.fill,
      machines.fill,
      runaway.fill,
      later.fill,
    ]),
  };
}

/** `ps` divides the time that a process has had by its age. */
function busySinceBoot(moment: Moment): number {
  return moment.busySinceBoot;
}

type Listed = Arranged & { readonly state: ServiceState | undefined };

/** Programs that are their own service leak; the largest of them does. */
function leakingPlace(daemons: readonly Listed[]): number {
  const sizes = daemons.map(({ daemon, service, parent }) => {
    return parent >= 0 || service.children.length > 0 || service.draw !== undefined ? 0 : daemon.memoryMib;
  });
  return sizes.indexOf(Math.max(...sizes));
}

type NodeInput = { readonly table: ProcessTable; readonly place: number; readonly port: Cell };

function daemonNode({ daemon, parent }: Listed, { table, place, port }: NodeInput): Node {
  const row = rowAt(table, place);
  const parts = daemon.command.split('{p}').flatMap((piece, i) => (i === 0 ? [piece] : [integer(port), piece]));
  return processNode({
    pid: integer(row.pid),
    ppid: parent < 0 ? 1 : integer(nth(table.pid, parent)),
    daemon: { ...daemon, command: daemon.command.replaceAll('{p}', '') },
    ...(parts.length > 1 && { cmdline: text(...parts) }),
    cpu: daemon.work === 0 ? 0 : tenths(row.cpu),
    memory: tenths(row.memory),
    rss: integer(row.rss),
  });
}

type PidPlan = Readonly<Record<'boot' | 'restarted' | 'containers' | 'machines' | 'runaway' | 'later', number>>;

/** Ranges of numbers: of what starts at boot, was started anew, belongs to guests, runs away, and comes later. */
function pidPlan(threads: number, daemons: number, guests: HostGuests): PidPlan {
  const boot = threads + 260;
  const restarted = boot + BOOT_SPREAD + daemons * PID_GAP;
  const containers = restarted + LIVES_OF_A_PROCESS * daemons;
  const machines = containers + PIDS_OF_A_CONTAINER * (guests.containers?.list.length ?? 0);
  const end = machines + PIDS_OF_A_MACHINE * (guests.machines?.list.length ?? 0);
  const later = Math.max(LATER_PIDS, end + RUNAWAY_PIDS);
  return { boot, restarted, containers, machines, runaway: later - RUNAWAY_PIDS, later };
}

type GuestPart = { readonly nodes: readonly Optional[]; readonly fill: Fill };

type Engine = { readonly daemons: readonly Listed[]; readonly table: ProcessTable; readonly firstPid: number };

const NONE: GuestPart = { nodes: [], fill: () => {} };

function containerPart(
  { guests, memory }: LinuxProcessesInput,
  { daemons, table, firstPid }: Engine,
  cells: Cells,
): GuestPart {
  const { containers } = guests;
  if (containers === undefined) return NONE;
  const place = daemons.findIndex(({ daemon, service }) => daemon === service && service.unit?.name === DOCKER_UNIT);
  const pid = place < 0 ? undefined : nth(table.pid, place);
  const engine = { pid, state: daemons[place]?.state };
  return containerProcesses({ containers, memory, firstPid, engine }, cells);
}

function machinePart({ guests, ...input }: LinuxProcessesInput, firstPid: number, cells: Cells): GuestPart {
  const { machines } = guests;
  return machines === undefined ? NONE : machineProcesses({ ...input, machines, firstPid }, cells);
}

type PidInput = {
  readonly table: ProcessTable;
  readonly ports: ReturnType<Cells['column']>;
  readonly pids: PidPlan;
  readonly leaking: number;
  readonly incidents: readonly Incident[];
};

const PORT_GAP = 97;
const FIRST_PORT = 32_768;

function pidFill(daemons: readonly Listed[], { table, ports, pids, leaking, incidents }: PidInput): Fill {
  const leaks = ofKind(incidents, 'memory-leak');
  const ported = daemons.flatMap(({ daemon }, place) => (daemon.command.includes('{p}') ? [place] : []));
  const states = daemons.map(({ state }) => state);
  return (frame, moment) => {
    const { bootKey } = moment;
    const key = keyOf(moment.hostKey, PORTS);
    for (const i of ported) frame[nth(ports, i)] = FIRST_PORT + i * PORT_GAP + Math.floor(PORT_GAP * unit(key, i));
    const offset = pids.boot + Math.floor(unit(bootKey, 0) * BOOT_SPREAD);
    const leakEndMs = leaking < 0 ? 0 : outageOf(leaks, moment).restoredMs;
    for (let i = 0; i < daemons.length; i++) {
      const ended = i === leaking ? Math.floor(leakEndMs / 1000) : 0;
      const life = lifeAt(frame, states[i]) + ended;
      const first = offset + i * PID_GAP + Math.floor(unit(bootKey, i + 1) * PID_GAP);
      frame[nth(table.pid, i)] =
        life === 0 ? first : pids.restarted + LIVES_OF_A_PROCESS * i + (life % LIVES_OF_A_PROCESS);
    }
  };
}

function initPart({ init, memory }: LinuxProcessesInput, cells: Cells): Part {
  const row = cells.row('rss', 'memory');
  const node = processNode({
    pid: 1,
    ppid: 0,
    daemon: init,
    cpu: 0,
    memory: tenths(row.memory),
    rss: integer(row.rss),
  });
  const fill: Fill = (frame, { hostKey }) => {
    const rss = pages(init.memoryMib * MIB * (0.9 + 0.2 * unit(keyOf(hostKey, PROCESSES), -1)));
    frame[row.rss] = rss;
    frame[row.memory] = memoryTenths(rss, valueAt(frame, memory.total));
  };
  return { node, fill };
}

function threadNode({ command, nice, status }: ReturnType<typeof kernelThreads>[number], index: number): Node {
  const daemon = { user: 'root', command, virtualMib: 0, nice };
  return processNode({ pid: index + 2, ppid: index === 0 ? 0 : 2, daemon, cpu: 0, memory: 0, rss: 0, status });
}

/** A thread of the kernel as `ps` tells it: the command in brackets. */
type KernelThread = { readonly command: string; readonly nice: number; readonly status: 'Sleep' | 'Idle' };

const BEFORE = `rcu_gp rcu_par_gp slub_flushwq netns mm_percpu_wq`.split(' ');

const RESCUERS = `inet_frag_wq writeback kintegrityd kblockd blkcg_punt_bio tpm_dev_wq ata_sff md md_bitmap edac-poller
  devfreq_wq acpi_thermal_pm mld ipv6_addrconf kstrp charger_manager scsi_tmf_0 scsi_tmf_1 raid5wq cryptd
  ext4-rsv-conver nvme-wq nvme-reset-wq nvme-delete-wq kmpath_rdacd kaluad mpt_poll_0 xfsalloc xfs_mru_cache
  dm_bufio_cache bcache iscsi_conn_clea rpciod xprtiod nfsiod scsi_tmf_2 scsi_tmf_3 scsi_tmf_4 scsi_tmf_5 xfs-buf/sda1
  xfs-conv/sda1 xfs-reclaim/sda1 xfs-blockgc/sda1 xfs-inodegc/sda1 xfs-log/sda1 xfs-cil/sda1 zswap-shrink ib-comp-wq`.split(
  /\s+/,
);

const THREADS =
  `rcu_tasks_kthread rcu_tasks_rude_kthread rcu_tasks_trace_kthread rcu_preempt kdevtmpfs kauditd khungtaskd
  oom_reaper kcompactd0 ksmd khugepaged kswapd0 ecryptfs-kthread scsi_eh_0 scsi_eh_1 jbd2/root-8 jbd2/boot-8
  psimon hwrng watchdogd scsi_eh_2 scsi_eh_3 scsi_eh_4 scsi_eh_5 xfsaild/sda1 usb-storage kworker/u17:0 kworker/u17:1
  kworker/u18:0-events_unbound nv_queue spl_system_task card0-crtc0 card0-crtc1 napi/eth0-1 napi/eth0-2 dmcrypt_write/0`.split(
    /\s+/,
  );

/** One of each per core. */
const PER_CORE: readonly (readonly [string, number, 'Sleep' | 'Idle'])[] = [
  ['cpuhp/N', 0, 'Sleep'],
  ['idle_inject/N', 0, 'Sleep'],
  ['migration/N', 0, 'Sleep'],
  ['ksoftirqd/N', 0, 'Sleep'],
  ['kworker/N:0-events', 0, 'Idle'],
  ['kworker/N:0H-kblockd', -20, 'Idle'],
  ['kworker/N:1-mm_percpu_wq', 0, 'Idle'],
  ['kworker/N:1H-kblockd', -20, 'Idle'],
  ['kworker/N:2-cgroup_destroy', 0, 'Idle'],
  ['irq/N-pciehp', 0, 'Sleep'],
];

const PURPOSES = ['events', 'cgroup_destroy', 'mm_percpu_wq', 'events_freezable', 'rcu_gp', 'xfs-conv'];
const NICE: Readonly<Record<string, number>> = { ksmd: 5, khugepaged: 19 };

/** So many of the kernel's own threads on a host with so many cores, in the order in which they start. */
function kernelThreads(cores: number, count: number): readonly KernelThread[] {
  const perCore = Array.from({ length: cores }, (_, core) => {
    return PER_CORE.map(([name, nice, status]) => thread(name.replace('N', String(core)), nice, status));
  });
  const own = [
    thread('kthreadd', 0, 'Sleep'),
    thread('pool_workqueue_release', 0, 'Sleep'),
    ...BEFORE.map((name) => thread(`kworker/R-${name}`, -20, 'Idle')),
    ...perCore.flat(),
    ...THREADS.map((name) => thread(name, NICE[name] ?? 0, name.startsWith('rcu') ? 'Idle' : 'Sleep')),
    ...RESCUERS.map((name) => thread(`kworker/R-${name}`, -20, 'Idle')),
  ];
  // Busy kernels have started more workers for each core.
  const workers = Array.from({ length: Math.max(0, count - own.length) }, (_, index) => {
    const purpose = PURPOSES[index % PURPOSES.length];
    return thread(`kworker/${index % cores}:${3 + Math.floor(index / cores)}-${purpose}`, 0, 'Idle');
  });
  return [...own, ...workers].slice(0, count);
}

function thread(name: string, nice: number, status: 'Sleep' | 'Idle'): KernelThread {
  return { command: `[${name}]`, nice, status };
}
