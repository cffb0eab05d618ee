import { DAY_SECONDS } from '../../../kernel/units.ts';
import { numbered } from '../../common/prometheus-exporters.ts';
import type { CellValues, Row } from '../../document/cells.ts';
import { either, float, hex, integer, keyed, type Node, text } from '../../document/nodes.ts';
import { fixedPart, type PartOf } from '../../part.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { scramble, smoothNoise, unit } from '../../time/noise.ts';

export type LibvirtInput = { readonly count: number; readonly cores: number };

const LIBVIRT = streamLabel('libvirt');
const NAMES = `web-01 web-02 db-01 mail build-01 win-jump monitoring wiki git proxy files test`.split(' ');
const KIB_PER_GIB = 1024 ** 2;
/** Digits of a machine's identifier that are drawn. */
const UUID_WIDTHS = { a: 6, b: 4, c: 3, d: 8, e: 4 } as const;
const UUID = ['a', 'b', 'c', 'd', 'e'] as const;
const MEMORY = ['Total', 'Ununsed', 'Available', 'Rss', 'SwapIn', 'SwapOut', 'MinorFault', 'MajorFault'] as const;
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
  readonly state: Row<'running' | 'guestAgent' | 'hostPercent' | 'guestPercent'>;
  readonly uuid: Row<(typeof UUID)[number]>;
  readonly memory: Row<(typeof MEMORY)[number]>;
  readonly network: Network;
  readonly disk: Disk;
};

/** The check `libvirt` of the agent's special build: every virtual machine by its identifier, stopped ones too. */
export const libvirtCheck: PartOf<LibvirtInput> = ({ count, cores }, cells) => {
  if (count === 0) return fixedPart({});
  const machines = Array.from(
    { length: count },
    (): MachineCells => ({
      state: cells.row('running', 'guestAgent', 'hostPercent', 'guestPercent'),
      uuid: cells.row(...UUID),
      memory: cells.row(...MEMORY),
      network: cells.row(...NETWORK),
      disk: cells.row(...DISK),
    }),
  );
  return {
    node: keyed(
      machines.map((row, index) => {
        const key = uuid(row, index, count);
        return { key, value: machine(row, index, key) };
      }),
    ),
    fill(frame, moment) {
      for (const [index, row] of machines.entries()) fillMachine(frame, row, { moment, index, cores });
    },
  };
};

/** The first digits rise from machine to machine, which is what keeps the keys in order. */
function uuid({ uuid: { a, b, c, d, e } }: MachineCells, index: number, count: number) {
  const lead = Math.floor(((index + 0.5) / count) * 0x100)
    .toString(16)
    .padStart(2, '0');
  const widths = UUID_WIDTHS;
  return text(
    ...[lead, hex(a, widths.a), '-', hex(b, widths.b), '-4', hex(c, widths.c), '-9'],
    ...[hex(c, widths.c), '-', hex(d, widths.d), hex(e, widths.e)],
  );
}

function machine({ state, memory, network, disk }: MachineCells, index: number, identity: Node): Node {
  const name = numbered(NAMES, index, '-');
  const common = { Name: name, Uuid: identity };
  const stopped = { IsRunning: false, GuestAgentRunning: false, Memory: null, Interfaces: null, Diskio: null };
  return either(state.running, [
    { ...common, ...stopped, CpuUsage: null },
    {
      ...common,
      IsRunning: true,
      GuestAgentRunning: either(state.guestAgent, [false, true]),
      Memory: Object.fromEntries(MEMORY.map((key) => [key, integer(memory[key])])),
      Interfaces: { [`vnet${index}`]: networkNode(`vnet${index}`, network) },
      Diskio: { vda: diskNode(name, disk) },
      CpuUsage: { HostPercent: float(state.hostPercent), GuestPercent: float(state.guestPercent) },
    },
  ]);
}

function networkNode(name: string, row: Network): Node {
  const rates = NETWORK.map((key) => [`avg_${key}`, integer(row[key])] as const);
  return { name, ...Object.fromEntries(rates), avg_errin: 0, avg_errout: 0, avg_dropin: 0, avg_dropout: 0 };
}

function diskNode(name: string, row: Disk): Node {
  const slot = (key: keyof Disk) => (key.endsWith('AvgSize') ? float(row[key]) : integer(row[key]));
  return {
    name: 'vda',
    'path/filepath': `/var/lib/libvirt/images/${name}.qcow2`,
    ...Object.fromEntries(DISK.map((key) => [key, slot(key)])),
  };
}

type Machine = { readonly moment: Moment; readonly index: number; readonly cores: number };

function fillMachine(frame: CellValues, cells: MachineCells, { moment, index, cores }: Machine): void {
  const key = keyOf(moment.hostKey, LIBVIRT) + 61 * index;
  const now = secondsSinceEpoch(moment.checkMs);
  const { state } = cells;
  const spell = Math.floor(now / ((3 + 20 * unit(key, -1)) * DAY_SECONDS) + unit(key, -2));
  frame[state.running] = unit(key, spell) < 0.86 ? 1 : 0;
  UUID.forEach((part, i) => {
    frame[cells.uuid[part]] = lowDigits(scramble(key + 1, i), UUID_WIDTHS[part]);
  });
  frame[state.guestAgent] = unit(key, -3) < 0.6 ? 1 : 0;
  fillMemory(frame, cells, { key, moment });
  const level = (0.2 + unit(key, -4)) * (0.6 + 0.4 * smoothNoise(key + 2, now / 300));
  fillRates(frame, cells, { key, level: moment.firstRun ? 0 : level * 40 * moment.busyMinute, moment });
  const processors = Math.min(cores, 1 << Math.floor(3 * unit(key, -5)));
  const guest = Math.min(100, 160 * moment.busy * level);
  frame[state.hostPercent] = (guest * processors) / cores;
  frame[state.guestPercent] = guest;
}

function lowDigits(value: number, width: number): number {
  return width === 8 ? value : value % 16 ** width;
}

type Filling = { readonly key: number; readonly moment: Moment };

/** Kibibytes; what is not in use is less than what could be had. */
function fillMemory(frame: CellValues, { memory }: MachineCells, { key, moment }: Filling): void {
  const total = KIB_PER_GIB * (1 << Math.floor(5 * unit(key, -6)));
  const free = total * (0.15 + 0.5 * unit(key, -7) + 0.05 * smoothNoise(key + 3, moment.checkMs / 1_200_000));
  frame[memory.Total] = total;
  frame[memory.Ununsed] = Math.floor(free * 0.7);
  frame[memory.Available] = Math.floor(free);
  frame[memory.Rss] = Math.floor(total * 0.55 + free * 0.2);
  frame[memory.SwapIn] = 0;
  frame[memory.SwapOut] = 0;
  frame[memory.MinorFault] = Math.floor(40_000 + 400 * unit(key, -9) * moment.work);
  frame[memory.MajorFault] = Math.floor(900 + 0.04 * unit(key, -9) * moment.work);
}

type Rates = Filling & { readonly level: number };

/** What a guest moves per second over its card and its disk. */
function fillRates(frame: CellValues, { network, disk }: MachineCells, { key, level, moment }: Rates): void {
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
  // Whatever their name says, the agent has divided these by the interval wherever they were seen.
  frame[disk.ReadAvgSize] = readBytes / moment.intervalSeconds;
  frame[disk.WriteAvgSize] = writeBytes / moment.intervalSeconds;
}
