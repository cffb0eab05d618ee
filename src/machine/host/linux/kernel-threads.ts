import { type HostTables, NUMBER, oncePerData, oneOf, readTable, TEXT } from '../../host-data.ts';
import type { LinuxHardware } from './hardware.ts';
import type { Partition } from './storage.ts';

/** A thread of the kernel as `ps` tells it: the command in brackets. */
export type KernelThread = { readonly command: string; readonly nice: number; readonly status: 'Sleep' | 'Idle' };

/** What a host has of its own threads: which things, by the names or numbers under which the kernel knows them. */
type Things = Readonly<Record<(typeof PER)[number], readonly string[]>>;

const PER = [
  ...(['host', 'core', 'metal', 'virtual', 'slot', 'crtc', 'metal-card', 'cdrom', 'sata', 'volume'] as const),
  ...(['ext4', 'ext4-once', 'xfs', 'xfs-once', 'btrfs-once', 'nvme-once', 'unbound'] as const),
] as const;

const threadTable = oncePerData((data) => {
  const columns = { thread: TEXT, per: oneOf(...PER), nice: NUMBER, status: oneOf('Sleep', 'Idle') };
  return readTable(data, 'threads/linux.tsv', columns);
});

/** What busy kernels have started more workers for, on each core. */
const PURPOSES = ['events', 'cgroup_destroy', 'mm_percpu_wq', 'events_freezable', 'rcu_gp', 'events_long'];
/** The parent of all others, and those that have work of their own. */
const PARENT = '[kthreadd]';
export const WORKING_THREAD =
  /^\[(rcu_preempt|ksoftirqd\/0|kworker\/0:0-events|kswapd0|jbd2\/|xfsaild\/|btrfs-transaction)/;
/** Some worker that belongs to no core is on every host. */
const UNBOUND_WORKER = /^\[kworker\/u\d+:0-/;
/** Workers with lower numbers stand in the table. */
const FIRST_WORKER = 3;

/** The kernel's own threads in the order in which they start: those of the hardware and the file systems that it has. */
export function kernelThreads(data: HostTables, hardware: LinuxHardware): readonly KernelThread[] {
  const things = thingsOf(hardware);
  const rows = threadTable(data);
  const own: KernelThread[] = [];
  for (let first = 0; first < rows.length; ) {
    // Rows of one kind that follow each other belong together: all of one core start before those of the next.
    const { per } = rows[first] as (typeof rows)[number];
    let end = first + 1;
    while (end < rows.length && rows[end]?.per === per) end++;
    const block = rows.slice(first, end);
    for (const thing of things[per]) {
      for (const { thread, nice, status } of block) {
        own.push({ command: `[${thread.replace('{n}', thing)}]`, nice, status });
      }
    }
    first = end;
  }
  return own;
}

/**
 * So many of them. What there is more are workers, which a busy kernel starts; what there is less is left out evenly, so that those
 * told are of all kinds.
 */
export function busyThreads(own: readonly KernelThread[], cores: number, count: number): readonly KernelThread[] {
  const workers = Array.from({ length: Math.max(0, count - own.length) }, (_, index) => {
    const purpose = PURPOSES[index % PURPOSES.length];
    const command = `[kworker/${index % cores}:${FIRST_WORKER + Math.floor(index / cores)}-${purpose}]`;
    return { command, nice: 0, status: 'Idle' as const };
  });
  const spare = own.filter(isSpare);
  const kept = Math.max(0, spare.length - Math.max(0, own.length - count));
  const upTo = (place: number) => Math.floor((place * kept) / spare.length);
  const told = new Set(spare.filter((_, place) => upTo(place + 1) > upTo(place)));
  return [...own.filter((thread) => !isSpare(thread) || told.has(thread)), ...workers].slice(0, count);
}

function isSpare({ command }: KernelThread): boolean {
  return command !== PARENT && !WORKING_THREAD.test(command) && !UNBOUND_WORKER.test(command);
}

const ONCE = [''];

function thingsOf({ cores, physical, disks, interfaces }: LinuxHardware): Things {
  const devices = disks.flatMap(({ partitions }) => partitions.flatMap(withVolumes));
  const having = (fstype: string) => {
    const found = devices.filter(({ fileSystems }) => fileSystems.some((system) => system.fstype === fstype));
    return found.map(({ name }) => name);
  };
  const once = (things: readonly string[]) => (things.length > 0 ? ONCE : []);
  const names = disks.map(({ device }) => device.name);
  const sata = names.filter((name) => name.startsWith('sd'));
  const [ext4, xfs] = [having('ext4'), having('xfs')];
  const metal = physical ? ONCE : [];
  return {
    host: ONCE,
    core: numbers(cores),
    metal,
    virtual: physical ? [] : ONCE,
    // Bridges of hypervisors and boards begin their interrupts at different numbers.
    slot: numbers(physical ? 3 : 8).map((slot) => String(Number(slot) + (physical ? 122 : 24))),
    crtc: physical ? numbers(2) : [],
    'metal-card': physical ? interfaces.filter(({ up, loops }) => up && !loops).map(({ name }) => name) : [],
    cdrom: physical ? [] : numbers(2),
    sata: sata.map((_, index) => String(index)),
    volume: devices.filter(({ name }) => name.startsWith('dm-')).map((_, index) => String(index)),
    // Pools of workers are numbered: two of each core, then those of none.
    unbound: [String(2 * cores)],
    ext4,
    'ext4-once': once(ext4),
    xfs,
    'xfs-once': once(xfs),
    'btrfs-once': once(having('btrfs')),
    'nvme-once': once(names.filter((name) => name.startsWith('nvme'))),
  };
}

function withVolumes(partition: Partition): readonly Partition[] {
  return [partition, ...partition.volumes.flatMap(withVolumes)];
}

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => String(number));
}
