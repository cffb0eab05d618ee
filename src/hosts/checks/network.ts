import {
  type Cell,
  type Cells,
  type CellValues,
  type Node,
  type Row,
  slot,
  type Text,
  valueAt,
} from '../document/nodes.ts';
import { type Container, containerKey, containerWork, receivedBytes, sentBytes } from '../host/containers.ts';
import type { MeasuredCard, NetworkInterface } from '../host/hardware.ts';
import type { HostState } from '../host/host-state.ts';
import type { HostCard } from '../host/linux/guest-cards.ts';
import { bursts, keyOf, smoothNoise, streamLabel, unit, warp } from '../host/noise.ts';
import { fixedPart, inTurn, type Part, type PartOf } from '../host/part.ts';

const BURSTS = { block: 3600, depth: 7, strength: 0.8 };
const LOSSES = { grid: 40, strength: 0.98 };
const LOST = ['errin', 'errout', 'dropin', 'dropout'] as const;
const COUNTERS = ['bytes_sent', 'bytes_recv', 'packets_sent', 'packets_recv', ...LOST] as const;

type Counter = (typeof COUNTERS)[number];

type Counters = Row<Counter>;

/** The check `net_stats`. */
export function netStatsCheck(interfaces: readonly HostCard[]): Part {
  return fixedPart(
    membersOf(interfaces, ({ carries, up, duplex, speed, mtu }) => {
      const node = { isup: up, duplex, speed, mtu };
      return carries === undefined ? node : slot.either(carries, [{ ...node, isup: false, speed: -1 }, node]);
    }),
  );
}

/** The check `net_io`. Rates are differences from the previous run, in whole units per second. */
export const netIoCheck: PartOf<readonly HostCard[]> = (interfaces, cells) => {
  const timestamp = cells.one();
  const parts = new Map<HostCard, CardPart>();
  const movedBy = (name: string) =>
    [...parts].flatMap(([card, { moved }]) => (card.name === name && moved ? [moved] : []));
  for (const card of interfaces) {
    const { members } = card;
    const part = members
      ? bondPart(card, members.flatMap(movedBy), { timestamp, cells })
      : interfacePart(card, { timestamp, cells });
    parts.set(card, part);
  }
  const clock = (frame: CellValues, host: HostState) => {
    frame[timestamp] = Math.floor(host.clockEndMs / 1000);
  };
  return {
    node: membersOf(interfaces, (card) => parts.get(card)?.node ?? null),
    fill: inTurn([clock, ...Array.from(parts.values(), ({ fill }) => fill)]),
  };
};

/** One member per card, ordered by name. */
function membersOf(interfaces: readonly HostCard[], told: (card: HostCard) => Node): Node {
  const members = [...interfaces].sort(byName).map((card) => {
    const node = told(card);
    return { key: titleOf(card), value: card.present === undefined ? node : slot.optional(card.present, node) };
  });
  return slot.keyed(members);
}

function titleOf({ title, name }: HostCard): Text {
  return title ?? slot.text(name);
}

type InterfaceInput = { readonly timestamp: Cell; readonly cells: Cells };

type CardPart = Part & { readonly moved?: Moved };

/** A bond counts what its members count. They are filled before it. */
function bondPart(card: HostCard, members: readonly Moved[], { timestamp, cells }: InterfaceInput): CardPart {
  const moved = { counters: cells.row(...COUNTERS), rates: cells.row(...COUNTERS) };
  const sums = COUNTERS.flatMap((counter) => {
    const of = (row: keyof Moved) => ({ sum: moved[row][counter], of: members.map((member) => member[row][counter]) });
    return [of('counters'), of('rates')];
  });
  return {
    node: interfaceNode(card, timestamp, moved),
    fill(frame) {
      for (const { sum, of } of sums) frame[sum] = of.reduce((total, cell) => total + valueAt(frame, cell), 0);
    },
  };
}

function interfacePart(card: HostCard, { timestamp, cells }: InterfaceInput): CardPart {
  const { container } = card;
  if (container !== undefined) return containerPart(card, container, { timestamp, cells });
  const still = card.packetsPerSecond.sent + card.packetsPerSecond.received === 0;
  if (still) return fixedPart(interfaceNode(card, timestamp, undefined));
  const counters = cells.row(...COUNTERS);
  const rates = cells.row(...COUNTERS);
  const traits = cells.row(...TRAITS);
  const now = { row: counters, traits, card };
  const before = { row: rates, traits, card };
  const pairs = COUNTERS.map((counter) => ({ count: counters[counter], rate: rates[counter] }));
  const label = streamLabel(`net_io.${card.name}`);
  const { measured } = card;
  return {
    node: interfaceNode(card, timestamp, { counters, rates }),
    moved: { counters, rates },
    fill(frame, host) {
      const key = keyOf(host.hostKey, label);
      if (measured === undefined) draw(frame, traits, key);
      else drawMeasured(frame, traits, key, measured);
      count(frame, before, key, host.previousNetworkWork);
      count(frame, now, key, host.networkWork);
      for (let i = 0; i < pairs.length; i++) {
        const { count, rate } = pairs[i] as (typeof pairs)[number];
        const delta = valueAt(frame, count) - valueAt(frame, rate);
        frame[rate] = host.firstRun ? 0 : Math.floor(delta / host.intervalSeconds);
      }
    },
  };
}

/** The host's end of a container's interface: it sends what the container receives, counted since the container started. */
function containerPart(card: HostCard, container: Container, { timestamp, cells }: InterfaceInput): Part {
  const counters = cells.row(...COUNTERS);
  const rates = cells.row(...COUNTERS);
  return {
    node: interfaceNode(card, timestamp, { counters, rates }),
    fill(frame, host) {
      if (frame[container.running] === 0) return;
      const key = containerKey(host, container.index);
      const seconds = valueAt(frame, container.upSeconds);
      const before = seconds - (host.checkMs - host.previousMs) / 1000;
      countForContainer(frame, counters, key, seconds);
      countForContainer(frame, rates, key, before);
      const known = !host.firstRun && before > 0;
      for (let i = 0; i < COUNTERS.length; i++) {
        const counter = COUNTERS[i] as Counter;
        const delta = valueAt(frame, counters[counter]) - valueAt(frame, rates[counter]);
        frame[rates[counter]] = known ? Math.floor(delta / host.intervalSeconds) : 0;
      }
    },
  };
}

function countForContainer(frame: CellValues, row: Counters, key: number, seconds: number): void {
  const work = containerWork(key, seconds);
  const sent = receivedBytes(work);
  const received = sentBytes(work);
  frame[row.bytes_sent] = sent;
  frame[row.bytes_recv] = received;
  frame[row.packets_sent] = Math.floor(sent / (120 + 900 * unit(key, -8)));
  frame[row.packets_recv] = Math.floor(received / (120 + 900 * unit(key, -9)));
  for (let i = 0; i < LOST.length; i++) frame[row[LOST[i] as Counter]] = 0;
}

type Moved = { readonly counters: Counters; readonly rates: Counters };

function interfaceNode(card: HostCard, timestamp: Cell, moved: Moved | undefined): Node {
  const counter = (key: Counter) => (moved === undefined ? 0 : slot.integer(moved.counters[key]));
  const rate = (key: Counter) => (moved === undefined ? 0 : slot.integer(moved.rates[key]));
  return {
    name: card.title ?? card.name,
    timestamp: slot.integer(timestamp),
    bytes_sent: counter('bytes_sent'),
    bytes_recv: counter('bytes_recv'),
    packets_sent: counter('packets_sent'),
    packets_recv: counter('packets_recv'),
    errin: counter('errin'),
    errout: counter('errout'),
    dropin: counter('dropin'),
    dropout: counter('dropout'),
    avg_bytes_sent_ps: rate('bytes_sent'),
    avg_bytes_recv_ps: rate('bytes_recv'),
    avg_packets_sent_ps: rate('packets_sent'),
    avg_packets_recv_ps: rate('packets_recv'),
    avg_errin: rate('errin'),
    avg_errout: rate('errout'),
    avg_dropin: rate('dropin'),
    avg_dropout: rate('dropout'),
  };
}

/** Random traits of one card on one host: drawn once, then used for both rows of counters. */
const TRAITS = ['busy', 'sentBytes', 'receivedBytes', 'errin', 'errout', 'dropin', 'dropout'] as const;

type Traits = Row<(typeof TRAITS)[number]>;

function draw(frame: CellValues, traits: Traits, key: number): void {
  // Most hosts have little traffic, and a few thousands of times as much.
  frame[traits.busy] = 0.03 * 4000 ** (unit(key, 0) ** 3);
  frame[traits.sentBytes] = 210 + 500 * unit(key, 1);
  frame[traits.receivedBytes] = 260 + 700 * unit(key, 2);
  frame[traits.dropin] = lossOf(unit(key, 3), 0.45);
  frame[traits.dropout] = lossOf(unit(key, 4), 0.96);
  frame[traits.errin] = lossOf(unit(key, 5), 0.96);
  frame[traits.errout] = lossOf(unit(key, 6), 0.98);
}

/** A recorded card has about the same traffic on all hosts. */
function drawMeasured(frame: CellValues, traits: Traits, key: number, measured: MeasuredCard): void {
  frame[traits.busy] = 0.8 + 0.4 * unit(key, 0);
  frame[traits.sentBytes] = measured.sentBytes;
  frame[traits.receivedBytes] = measured.receivedBytes;
  frame[traits.dropin] = measured.dropin;
  frame[traits.dropout] = measured.dropout;
  frame[traits.errin] = measured.errin;
  frame[traits.errout] = measured.errout;
}

/** Lost packets per packet: 0 on most hosts, from one in ten million to one in a thousand on the others. */
function lossOf(chance: number, none: number): number {
  return chance < none ? 0 : 10 ** (-7 + (4 * (chance - none)) / (1 - none));
}

type CountedRow = { readonly row: Counters; readonly traits: Traits; readonly card: NetworkInterface };

/** Packets that a card sends and receives during a boot. A recorded card's packets already include them. */
const FIRST = [120, 150] as const;
const NO_FIRST = [0, 0] as const;

/** Sets the counters after this much work. */
function count(frame: CellValues, { row, traits, card }: CountedRow, key: number, work: number): void {
  const busy = valueAt(frame, traits.busy) * bursts(work, key, BURSTS);
  const [firstSent, firstReceived] = card.measured === undefined ? FIRST : NO_FIRST;
  const sent = Math.floor(firstSent + card.packetsPerSecond.sent * busy);
  const received = card.loops ? sent : Math.floor(firstReceived + card.packetsPerSecond.received * busy);
  const sentBytes = packetBytes(key + 1, sent, valueAt(frame, traits.sentBytes));
  frame[row.bytes_sent] = sentBytes;
  frame[row.bytes_recv] = card.loops ? sentBytes : packetBytes(key + 2, received, valueAt(frame, traits.receivedBytes));
  frame[row.packets_sent] = sent;
  frame[row.packets_recv] = received;
  const losing = card.loops ? 0 : 1;
  frame[row.dropin] = losing * lost(key + 3, received * valueAt(frame, traits.dropin));
  frame[row.dropout] = card.countsUnsent ? losing * lost(key + 4, sent * valueAt(frame, traits.dropout)) : 0;
  frame[row.errin] = losing * lost(key + 5, received * valueAt(frame, traits.errin));
  frame[row.errout] = losing * lost(key + 6, sent * valueAt(frame, traits.errout));
}

/** Losses come in bursts, and hardly ever evenly. */
function lost(key: number, mean: number): number {
  return mean === 0 ? 0 : Math.max(0, Math.floor(warp(mean, key, LOSSES)));
}

/** Bytes in this many packets: a function of the packets, so no packets mean no bytes. */
function packetBytes(key: number, packets: number, meanBytes: number): number {
  return Math.floor(packets * meanBytes + 60 * meanBytes * (1 + smoothNoise(key, packets / 400)));
}

function byName(a: HostCard, b: HostCard): number {
  return a.name < b.name ? -1 : 1;
}
