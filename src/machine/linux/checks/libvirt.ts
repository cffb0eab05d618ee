import { numbered } from '../../common/prometheus-exporters.ts';
import { either, type Frame, float, hex, integer, keyed, type Node, text } from '../../document/nodes.ts';
import { fixedPart, type PartOf } from '../../part.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { scramble, smoothNoise, unit } from '../../time/noise.ts';

export type LibvirtInput = { readonly count: number; readonly cores: number };

const LIBVIRT = streamLabel('libvirt');
const DAY_SECONDS = 86_400;
const NAMES = `web-01 web-02 db-01 mail build-01 win-jump monitoring wiki git proxy files test`.split(' ');
const KIB_PER_GIB = 1024 ** 2;
const UUID = { cells: 4, widths: [6, 4, 3, 8, 4] } as const;
const MEMORY = ['Total', 'Ununsed', 'Available', 'Rss', 'SwapIn', 'SwapOut', 'MinorFault', 'MajorFault'];
const RATES = [
  'bytes_sent_ps',
  'bytes_recv_ps',
  'packets_sent_ps',
  'packets_recv_ps',
  'errin',
  'errout',
  'dropin',
  'dropout',
];

/** Cells of a machine, in this order. */
const RUNNING = 0;
const IDENTITY = 1;
const GUEST_AGENT = 6;
const MEMORY_ROW = 7;
const NETWORK = 15;
const DISK = 19;
const CPU = 26;
const WIDTH = 28;

/** The check `libvirt` of the agent's special build: every virtual machine by its identifier, stopped ones too. */
export const libvirtCheck: PartOf<LibvirtInput> = ({ count, cores }, cells) => {
  if (count === 0) return fixedPart({});
  const first = cells.take(WIDTH * count);
  const rows = Array.from({ length: count }, (_, index) => first + WIDTH * index);
  return {
    node: keyed(
      rows.map((row, index) => ({ key: uuid(row, index, count), value: machine(row, index, uuid(row, index, count)) })),
    ),
    fill(frame, moment) {
      for (const [index, row] of rows.entries()) fillMachine(frame, row, { moment, index, cores });
    },
  };
};

/** The first digits rise from machine to machine, which is what keeps the keys in order. */
function uuid(row: number, index: number, count: number) {
  const lead = Math.floor(((index + 0.5) / count) * 0x100)
    .toString(16)
    .padStart(2, '0');
  const cell = row + IDENTITY;
  const [a, b, c, d, e] = UUID.widths;
  return text(
    ...[lead, hex(cell, a), '-', hex(cell + 1, b), '-4', hex(cell + 2, c), '-9'],
    ...[hex(cell + 2, c), '-', hex(cell + 3, d), hex(cell + 4, e)],
  );
}

function machine(row: number, index: number, identity: Node): Node {
  const name = numbered(NAMES, index, '-');
  const common = { Name: name, Uuid: identity };
  const stopped = { IsRunning: false, GuestAgentRunning: false, Memory: null, Interfaces: null, Diskio: null };
  return either(row + RUNNING, [
    { ...common, ...stopped, CpuUsage: null },
    {
      ...common,
      IsRunning: true,
      GuestAgentRunning: either(row + GUEST_AGENT, [false, true]),
      Memory: Object.fromEntries(MEMORY.map((key, i) => [key, integer(row + MEMORY_ROW + i)])),
      Interfaces: { [`vnet${index}`]: networkNode(`vnet${index}`, row + NETWORK) },
      Diskio: { vda: diskNode(name, row + DISK) },
      CpuUsage: { HostPercent: float(row + CPU), GuestPercent: float(row + CPU + 1) },
    },
  ]);
}

function networkNode(name: string, first: number): Node {
  const rates = RATES.map((key, i) => [`avg_${key}`, i < 4 ? integer(first + i) : 0] as const);
  return { name, ...Object.fromEntries(rates) };
}

function diskNode(name: string, first: number): Node {
  return {
    name: 'vda',
    'path/filepath': `/var/lib/libvirt/images/${name}.qcow2`,
    ReadIopsPerSecond: integer(first),
    WriteIopsPerSecond: integer(first + 1),
    TotalIopsPerSecond: integer(first + 2),
    ReadBytesPerSecond: integer(first + 3),
    WriteBytesPerSecond: integer(first + 4),
    ReadAvgSize: float(first + 5),
    WriteAvgSize: float(first + 6),
  };
}

type Machine = { readonly moment: Moment; readonly index: number; readonly cores: number };

function fillMachine(frame: Frame, row: number, { moment, index, cores }: Machine): void {
  const key = keyOf(moment.hostKey, LIBVIRT) + 61 * index;
  const now = secondsSinceEpoch(moment.checkMs);
  const spell = Math.floor(now / ((3 + 20 * unit(key, -1)) * DAY_SECONDS) + unit(key, -2));
  frame[row + RUNNING] = unit(key, spell) < 0.86 ? 1 : 0;
  for (let i = 0; i <= UUID.cells; i++) frame[row + IDENTITY + i] = lowDigits(scramble(key + 1, i), UUID.widths[i]);
  frame[row + GUEST_AGENT] = unit(key, -3) < 0.6 ? 1 : 0;
  fillMemory(frame, row + MEMORY_ROW, { key, moment });
  const level = (0.2 + unit(key, -4)) * (0.6 + 0.4 * smoothNoise(key + 2, now / 300));
  fillRates(frame, row, { key, level: moment.firstRun ? 0 : level * 40 * moment.busyMinute, moment });
  const processors = Math.min(cores, 1 << Math.floor(3 * unit(key, -5)));
  const guest = Math.min(100, 160 * moment.busy * level);
  frame[row + CPU] = (guest * processors) / cores;
  frame[row + CPU + 1] = guest;
}

function lowDigits(value: number, width = 8): number {
  return width === 8 ? value : value % 16 ** width;
}

type Filling = { readonly key: number; readonly moment: Moment };

/** Kibibytes; what is not in use is less than what could be had. */
function fillMemory(frame: Frame, first: number, { key, moment }: Filling): void {
  const total = KIB_PER_GIB * (1 << Math.floor(5 * unit(key, -6)));
  const free = total * (0.15 + 0.5 * unit(key, -7) + 0.05 * smoothNoise(key + 3, moment.checkMs / 1_200_000));
  frame[first] = total;
  frame[first + 1] = Math.floor(free * 0.7);
  frame[first + 2] = Math.floor(free);
  frame[first + 3] = Math.floor(total * 0.55 + free * 0.2);
  frame[first + 4] = 0;
  frame[first + 5] = 0;
  frame[first + 6] = Math.floor(40_000 + 400 * unit(key, -9) * moment.work);
  frame[first + 7] = Math.floor(900 + 0.04 * unit(key, -9) * moment.work);
}

/** What a guest moves per second over its card and its disk. */
function fillRates(frame: Frame, row: number, { key, level, moment }: Filling & { readonly level: number }): void {
  const share = 0.5 + unit(key, -8);
  const [sent, received] = [Math.floor(60 * level * share), Math.floor(70 * level)];
  frame[row + NETWORK] = Math.floor(sent * 410 * share);
  frame[row + NETWORK + 1] = Math.floor(received * 530);
  frame[row + NETWORK + 2] = sent;
  frame[row + NETWORK + 3] = received;
  const [reads, writes] = [Math.floor(2 * level * share), Math.floor(9 * level)];
  frame[row + DISK] = reads;
  frame[row + DISK + 1] = writes;
  frame[row + DISK + 2] = reads + writes;
  frame[row + DISK + 3] = reads * 16_384;
  frame[row + DISK + 4] = writes * 12_288;
  // Whatever their name says, the agent has divided these by the interval wherever they were seen.
  frame[row + DISK + 5] = (frame[row + DISK + 3] as number) / moment.intervalSeconds;
  frame[row + DISK + 6] = (frame[row + DISK + 4] as number) / moment.intervalSeconds;
}
