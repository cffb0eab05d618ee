import { type Cell, type Cells, type CellValues, type Node, type Row, slot, valueAt } from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import { machineKey, machineLevel, type VirtualMachine, type VirtualMachines } from '../host/linux/guests.ts';
import { unit } from '../host/noise.ts';
import { fixedPart, type Part } from '../host/part.ts';

type LibvirtInput = {
  /** `undefined` on hosts that are virtual machines themselves. */
  readonly machines: VirtualMachines | undefined;
  readonly cores: number;
  /** Cell that is 0 while the daemon does not answer; `undefined` if it always answers. */
  readonly answers: Cell | undefined;
};

const SILENT: Node = { error: "Failed to connect socket to '/var/run/libvirt/libvirt-sock': Connection refused" };
const MEMORY = ['Ununsed', 'Available', 'MinorFault', 'MajorFault'] as const;
const NETWORK = ['bytes_sent_ps', 'bytes_recv_ps', 'packets_sent_ps', 'packets_recv_ps'] as const;

const DISK = [
  'ReadIopsPerSecond',
  'WriteIopsPerSecond',
  'TotalIopsPerSecond',
  'ReadBytesPerSecond',
  'WriteBytesPerSecond',
  'ReadAvgSize',
  'WriteAvgSize',
] as const;

type Network = Row<(typeof NETWORK)[number]>;

type Disk = Row<(typeof DISK)[number]>;

type MachineCells = {
  readonly state: Row<'guestAgent' | 'guestPercent'>;
  readonly memory: Row<(typeof MEMORY)[number]>;
  readonly network: Network;
  readonly disk: Disk;
};

/** The check `libvirt` of the agent's special build: every virtual machine by its UUID, including stopped ones. */
export function libvirtCheck({ machines, cores, answers }: LibvirtInput, cells: Cells): Part {
  if (machines === undefined) return fixedPart({});
  const told = machines.list.map((machine) => ({ machine, own: machineCells(cells) }));
  const members = told.map(({ machine, own }) => ({
    key: slot.text(...machine.uuid),
    value: machineNode(machine, own),
  }));
  return {
    node: answers === undefined ? slot.keyed(members) : slot.either(answers, [SILENT, slot.keyed(members)]),
    fill(frame, host) {
      for (const { machine, own } of told) {
        if (frame[machine.row.running] !== 0) fillMachine(frame, own, { machine, host, cores });
      }
    },
  };
}

function machineCells(cells: Cells): MachineCells {
  return {
    state: cells.row('guestAgent', 'guestPercent'),
    memory: cells.row(...MEMORY),
    network: cells.row(...NETWORK),
    disk: cells.row(...DISK),
  };
}

function machineNode(
  { index, names, row, uuid }: VirtualMachine,
  { state, memory, network, disk }: MachineCells,
): Node {
  const common = { Name: slot.either(row.name, names), Uuid: slot.text(...uuid) };
  const stopped = { IsRunning: false, GuestAgentRunning: false, Memory: null, Interfaces: null, Diskio: null };
  return slot.either(row.running, [
    { ...common, ...stopped, CpuUsage: null },
    {
      ...common,
      IsRunning: true,
      GuestAgentRunning: slot.either(state.guestAgent, [false, true]),
      Memory: {
        Total: slot.integer(row.totalKib),
        Ununsed: slot.integer(memory.Ununsed),
        Available: slot.integer(memory.Available),
        Rss: slot.integer(row.rssKib),
        SwapIn: 0,
        SwapOut: 0,
        MinorFault: slot.integer(memory.MinorFault),
        MajorFault: slot.integer(memory.MajorFault),
      },
      Interfaces: { [`vnet${index}`]: networkNode(`vnet${index}`, network) },
      Diskio: {
        vda: slot.either(
          row.name,
          names.map((name) => diskNode(name, disk)),
        ),
      },
      CpuUsage: { HostPercent: slot.float(row.hostPercent), GuestPercent: slot.float(state.guestPercent) },
    },
  ]);
}

function networkNode(name: string, row: Network): Node {
  const rates = NETWORK.map((key) => [`avg_${key}`, slot.integer(row[key])] as const);
  return { name, ...Object.fromEntries(rates), avg_errin: 0, avg_errout: 0, avg_dropin: 0, avg_dropout: 0 };
}

function diskNode(name: string, row: Disk): Node {
  const figure = (key: keyof Disk) => (key.endsWith('AvgSize') ? slot.float(row[key]) : slot.integer(row[key]));
  return {
    name: 'vda',
    'path/filepath': `/var/lib/libvirt/images/${name}.qcow2`,
    ...Object.fromEntries(DISK.map((key) => [key, figure(key)])),
  };
}

type Filling = { readonly machine: VirtualMachine; readonly host: HostState; readonly cores: number };

function fillMachine(frame: CellValues, own: MachineCells, { machine, host, cores }: Filling): void {
  const { row } = machine;
  const key = machineKey(host, machine.index);
  const level = host.firstRun ? 0 : machineLevel(key, host) * 40 * host.busyMinute;
  frame[own.state.guestAgent] = unit(key, -3) < 0.6 ? 1 : 0;
  frame[own.state.guestPercent] = (valueAt(frame, row.hostPercent) * cores) / valueAt(frame, row.processors);
  fillMemory(frame, own, { row, key, host });
  fillRates(frame, own, { key, level, host });
}

type Guest = { readonly row: VirtualMachine['row']; readonly key: number; readonly host: HostState };

/** In KiB. A guest uses most of the memory that its process holds; the rest of its memory is available. */
function fillMemory(frame: CellValues, { memory }: MachineCells, { row, key, host }: Guest): void {
  const available = valueAt(frame, row.totalKib) - valueAt(frame, row.rssKib) * (0.8 + 0.15 * unit(key, -10));
  frame[memory.Available] = Math.floor(available);
  frame[memory.Ununsed] = Math.floor(available * 0.7);
  frame[memory.MinorFault] = Math.floor(40_000 + 400 * unit(key, -9) * host.work);
  frame[memory.MajorFault] = Math.floor(900 + 0.04 * unit(key, -9) * host.work);
}

type Rates = { readonly key: number; readonly level: number; readonly host: HostState };

/** Rates per second of a guest's network card and disk. */
function fillRates(frame: CellValues, { network, disk }: MachineCells, { key, level, host }: Rates): void {
  const share = 0.5 + unit(key, -8);
  const [sent, received] = [Math.floor(60 * level * share), Math.floor(70 * level)];
  frame[network.bytes_sent_ps] = Math.floor(sent * 410 * share);
  frame[network.bytes_recv_ps] = Math.floor(received * 530);
  frame[network.packets_sent_ps] = sent;
  frame[network.packets_recv_ps] = received;
  const [reads, writes] = [Math.floor(2 * level * share), Math.floor(9 * level)];
  const [readBytes, writeBytes] = [reads * 16_384, writes * 12_288];
  frame[disk.ReadIopsPerSecond] = reads;
  frame[disk.WriteIopsPerSecond] = writes;
  frame[disk.TotalIopsPerSecond] = reads + writes;
  frame[disk.ReadBytesPerSecond] = readBytes;
  frame[disk.WriteBytesPerSecond] = writeBytes;
  // Despite their name, the agent divides these by the interval in all data seen so far.
  frame[disk.ReadAvgSize] = readBytes / host.intervalSeconds;
  frame[disk.WriteAvgSize] = writeBytes / host.intervalSeconds;
}
