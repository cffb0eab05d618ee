import { hash32, uniform } from '../../../base/kernel/random.ts';
import { column, type HostTables, oncePerData, readTable } from '../../host-data.ts';
import type { Distribution } from './distribution.ts';
import { type LinuxHardware, mountedOn } from './hardware.ts';
import type { Partition } from './storage.ts';

/** A kernel thread as listed by `ps`, with its command in brackets. */
export type KernelThread = {
  readonly pid: number;
  readonly command: string;
  readonly nice: number;
  readonly status: 'Sleep' | 'Idle';
};

type Unnumbered = Omit<KernelThread, 'pid'>;

/** Parts of a host that have their own threads, by their name or number in the kernel. */
type Parts = Readonly<Record<(typeof PER)[number], readonly string[]>>;

const PER = [
  ...(['host', 'core', 'metal', 'virtual', 'slot', 'crtc', 'cdrom', 'sata', 'volume', 'unbound'] as const),
  ...(['unbound-high', 'ext4', 'ext4-once', 'xfs', 'xfs-once', 'btrfs-once', 'nvme-once'] as const),
  ...(['bond', 'wireguard'] as const),
] as const;

const THREAD = {
  thread: column.text,
  per: column.oneOf(...PER),
  nice: column.number,
  status: column.oneOf('Sleep', 'Idle'),
  only: column.names,
};
const threadTable = oncePerData((data) => readTable(data, 'threads/linux.tsv', THREAD));

/** The last work of a core's workers. Frequent kinds are repeated. */
const WORKS = `events events mm_percpu_wq events cgroup_destroy rcu_gp events_freezable ata_sff
  events_long events_power_efficient cgroup_release ipv6_addrconf inet_frag_wq cgroup_free`.split(/\s+/);
const HIGH_WORKS = ['kblockd', 'events_highpri', 'kblockd'];
/** The parent of all other threads, and threads with work to do. */
const PARENT = '[kthreadd]';
export const WORKING_THREAD = /^\[(rcu_preempt|ksoftirqd\/0|kworker\/0:0-|kswapd0|jbd2\/|xfsaild\/|btrfs-transaction)/;
/** Every host has an unbound worker. */
const UNBOUND_WORKER = /^\[kworker\/u\d+:0-/;
/** Workers with lower numbers are in the table. */
const FIRST_WORKER = 3;
const RESCUER = 'kworker/R-';
const MAX_NAME_CHARACTERS = 15;

/** The kernel's own threads in start order, according to the hardware and the file systems. */
export function kernelThreads(
  data: HostTables,
  hardware: LinuxHardware,
  { siblingOf, kernel: { threadNames } }: Distribution,
): readonly Unnumbered[] {
  const parts = partsOf(hardware);
  const rows = threadTable(data).filter(({ only }) => only.length === 0 || only.includes(siblingOf));
  const own: Unnumbered[] = [];
  for (let first = 0; first < rows.length; ) {
    // Consecutive rows of one kind form a block: all threads of one core start before those of the next.
    const { per } = rows[first] as (typeof rows)[number];
    let end = first + 1;
    while (end < rows.length && rows[end]?.per === per) end++;
    const block = rows.slice(first, end);
    for (const part of parts[per]) {
      for (const { thread, nice, status } of block) {
        const name = reportedName(withWork(thread.replace('{n}', part), hardware), threadNames);
        own.push({ command: `[${name}]`, nice, status });
      }
    }
    first = end;
  }
  return own;
}

/** The name of a thread as a kernel reports it, which cuts some names. */
function reportedName(thread: string, names: Distribution['kernel']['threadNames']): string {
  const isRescuer = thread.startsWith(RESCUER);
  const name = isRescuer && !names.startsWith('prefixed') ? thread.slice(RESCUER.length) : thread;
  const isCut = names === 'all cut' ? !name.startsWith('kworker/') : isRescuer && names !== 'prefixed';
  return isCut ? name.slice(0, MAX_NAME_CHARACTERS) : name;
}

/** Workers are named after their last work, which differs between machines. */
function withWork(thread: string, { cores, disks }: LinuxHardware): string {
  const draw = hash32(disks.length, thread, cores);
  const one = (works: readonly string[]) => works[draw % works.length] ?? '';
  return thread.replace('{work}', one(WORKS)).replace('{high}', one(HIGH_WORKS));
}

/** A busy kernel has more workers. Surplus threads are removed at random: every second one would leave only some kinds of each core. */
export function busyThreads(own: readonly Unnumbered[], cores: number, count: number): readonly KernelThread[] {
  const more = Array.from({ length: Math.max(0, count - own.length) }, (_, index) => {
    const command = `[kworker/${index % cores}:${FIRST_WORKER + Math.floor(index / cores)}`;
    const work = WORKS[hash32(count, command, cores) % WORKS.length];
    return { command: `${command}-${work}]`, nice: 0, status: 'Idle' as const };
  });
  const spare = own.filter(isSpare);
  const kept = Math.max(0, spare.length - Math.max(0, own.length - count));
  const order = ({ command }: Unnumbered) => hash32(cores, command);
  const keptSpare = new Set(spare.toSorted((a, b) => order(a) - order(b)).slice(0, kept));
  return numbered(
    [...own.filter((thread) => !isSpare(thread) || keptSpare.has(thread)), ...more].slice(0, count),
    cores,
  );
}

const FIRST_PID = 2;
/** Share of threads whose PID follows a gap left by exited threads, and the largest gap. Chosen. */
const GAPS = 0.25;
const MAX_PID_GAP = 6;

function numbered(threads: readonly Unnumbered[], cores: number): readonly KernelThread[] {
  let pid = FIRST_PID - 1;
  return threads.map((thread, index) => {
    const draw = uniform(cores, thread.command, index);
    pid += 1 + (index > 1 && draw < GAPS ? Math.ceil((MAX_PID_GAP * draw) / GAPS) : 0);
    return { pid, ...thread };
  });
}

function isSpare({ command }: Unnumbered): boolean {
  return command !== PARENT && !WORKING_THREAD.test(command) && !UNBOUND_WORKER.test(command);
}

const ONCE = [''];

function partsOf(hardware: LinuxHardware): Parts {
  const { cores, physical, disks, interfaces } = hardware;
  const devices = disks.flatMap(({ partitions }) => partitions.flatMap(withVolumes));
  const mounted = mountedOn(hardware);
  const having = (fstype: string) => {
    return mounted.flatMap((system) => (system.fstype === fstype ? [system.device.replace('/dev/', '')] : []));
  };
  const cards = (start: string) =>
    interfaces.map(({ name }) => name).filter((name) => name.startsWith(start) && !name.includes('.'));
  const once = (parts: readonly string[]) => (parts.length > 0 ? ONCE : []);
  const names = disks.map(({ device }) => device.name);
  const sata = names.filter((name) => name.startsWith('sd'));
  const [ext4, xfs] = [having('ext4'), having('xfs')];
  const metal = physical ? ONCE : [];
  return {
    host: ONCE,
    core: numbers(cores),
    metal,
    virtual: physical ? [] : ONCE,
    // The first interrupt number of bridges differs between hypervisors and mainboards.
    slot: numbers(physical ? 3 : 8).map((slot) => String(Number(slot) + (physical ? 122 : 24))),
    crtc: physical ? numbers(2) : [],
    cdrom: physical ? [] : numbers(2),
    sata: sata.map((_, index) => String(index)),
    volume: devices.filter(({ name }) => name.startsWith('dm-')).map((_, index) => String(index)),
    // Worker pools are numbered: two per core, then the unbound ones.
    unbound: [String(2 * cores)],
    'unbound-high': [String(2 * cores + 1)],
    ext4,
    'ext4-once': once(ext4),
    xfs,
    'xfs-once': once(xfs),
    'btrfs-once': once(having('btrfs')),
    bond: cards('bond'),
    wireguard: cards('wg'),
    'nvme-once': once(names.filter((name) => name.startsWith('nvme'))),
  };
}

function withVolumes(partition: Partition): readonly Partition[] {
  return [partition, ...partition.volumes.flatMap(withVolumes)];
}

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => String(number));
}
