import { type Cell, type Cells, type CellValues, type Node, type Row, slot, valueAt } from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import { machineKey, machineLevel, type VirtualMachine, type VirtualMachines } from '../host/linux/guests.ts';
import { unit } from '../host/noise.ts';
import { fixedPart, type Part } from '../host/part.ts';
import { DISK_RATES } from './disk-io.ts';

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

const DISK = [...DISK_RATES, 'ReadAvgSize', 'WriteAvgSize'] as const;

/** Figures of a running machine that follow from its row. */
type MachineCells = Row<'guestAgent' | 'guestPercent' | (typeof MEMORY | typeof NETWORK | typeof DISK)[number]>;

/** The check `libvirt` of the agent's special build: every virtual machine by its UUID, including stopped ones. */
export function libvirtCheck({ machines, cores, answers }: LibvirtInput, cells: Cells): Part {
  if (machines === undefined) return fixedPart({});
  const listed = machines.list.map((machine) => {
    return { machine, own: cells.row('guestAgent', 'guestPercent', ...MEMORY, ...NETWORK, ...DISK) };
  });
  const members = listed.map(({ machine, own }) => {
    return { key: slot.text(...machine.uuid), value: machineNode(machine, own) };
  });
  return {
    node: answers === undefined ? slot.keyed(members) : slot.either(answers, [SILENT, slot.keyed(members)]),
    fill(frame, host) {
      for (const { machine, own } of listed) {
        const { row, index } = machine;
        if (frame[row.running] === 0) continue;
        const key = machineKey(host, index);
        frame[own.guestPercent] = (valueAt(frame, row.hostPercent) * cores) / valueAt(frame, row.processors);
        // In KiB. A guest uses most of the memory that its process holds; the rest of its memory is available.
        const available = valueAt(frame, row.totalKib) - valueAt(frame, row.rssKib) * (0.8 + 0.15 * unit(key, -10));
        frame[own.Available] = Math.floor(available);
        frame[own.Ununsed] = Math.floor(available * 0.7);
        fillRates(frame, own, { key, host });
      }
    },
  };
}

function machineNode({ index, names, row, uuid }: VirtualMachine, own: MachineCells): Node {
  const card = `vnet${index}`;
  const disks = names.map((name) => diskNode(name, own));
  const common = { Name: slot.either(row.name, names), Uuid: slot.text(...uuid) };
  const stopped = { IsRunning: false, GuestAgentRunning: false, Memory: null, Interfaces: null, Diskio: null };
  return slot.either(row.running, [
    { ...common, ...stopped, CpuUsage: null },
    {
      ...common,
      IsRunning: true,
      GuestAgentRunning: slot.either(own.guestAgent, [false, true]),
      Memory: {
        Total: slot.integer(row.totalKib),
        Ununsed: slot.integer(own.Ununsed),
        Available: slot.integer(own.Available),
        Rss: slot.integer(row.rssKib),
        SwapIn: 0,
        SwapOut: 0,
        MinorFault: slot.integer(own.MinorFault),
        MajorFault: slot.integer(own.MajorFault),
      },
      Interfaces: { [card]: networkNode(card, own) },
      Diskio: { vda: slot.either(row.name, disks) },
      CpuUsage: { HostPercent: slot.float(row.hostPercent), GuestPercent: slot.float(own.guestPercent) },
    },
  ]);
}

function networkNode(name: string, row: MachineCells): Node {
  const rates = NETWORK.map((key) => [`avg_${key}`, slot.integer(row[key])] as const);
  return { name, ...Object.fromEntries(rates), avg_errin: 0, avg_errout: 0, avg_dropin: 0, avg_dropout: 0 };
}

function diskNode(name: string, row: MachineCells): Node {
  const figure = (key: (typeof DISK)[number]) =>
    key.endsWith('AvgSize') ? slot.float(row[key]) : slot.integer(row[key]);
  return {
    name: 'vda',
    'path/filepath': `/var/lib/libvirt/images/${name}.qcow2`,
    ...Object.fromEntries(DISK.map((key) => [key, figure(key)])),
  };
}

type Working = { readonly key: number; readonly host: HostState };

/** Faults, and rates per second of a guest's network card and disk. Packets, requests and their sizes are chosen. */
function fillRates(frame: CellValues, own: MachineCells, { key, host }: Working): void {
  const level = host.firstRun ? 0 : machineLevel(key, host) * 40 * host.busyMinute;
  const share = 0.5 + unit(key, -8);
  const [sent, received] = [Math.floor(60 * level * share), Math.floor(70 * level)];
  const [reads, writes] = [Math.floor(2 * level * share), Math.floor(9 * level)];
  const [readBytes, writeBytes] = [reads * 16_384, writes * 12_288];
  frame[own.guestAgent] = unit(key, -3) < 0.6 ? 1 : 0;
  frame[own.MinorFault] = Math.floor(40_000 + 400 * unit(key, -9) * host.work);
  frame[own.MajorFault] = Math.floor(900 + 0.04 * unit(key, -9) * host.work);
  frame[own.bytes_sent_ps] = Math.floor(sent * 410 * share);
  frame[own.bytes_recv_ps] = Math.floor(received * 530);
  frame[own.packets_sent_ps] = sent;
  frame[own.packets_recv_ps] = received;
  frame[own.ReadIopsPerSecond] = reads;
  frame[own.WriteIopsPerSecond] = writes;
  frame[own.TotalIopsPerSecond] = reads + writes;
  frame[own.ReadBytesPerSecond] = readBytes;
  frame[own.WriteBytesPerSecond] = writeBytes;
  // Despite their name, the agent divides these by the interval in all data seen so far.
  frame[own.ReadAvgSize] = readBytes / host.intervalSeconds;
  frame[own.WriteAvgSize] = writeBytes / host.intervalSeconds;
}
