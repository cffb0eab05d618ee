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
import { type Fill, fixedPart, inTurn, type Part, type PartOf } from '../host/part.ts';

const BURSTS = { block: 3600, depth: 7, strength: 0.8 };
const LOSSES = { grid: 40, strength: 0.98 };
const LOST = ['errin', 'errout', 'dropin', 'dropout'] as const;
const COUNTERS = ['bytes_sent', 'bytes_recv', 'packets_sent', 'packets_recv', ...LOST] as const;
/** Share of a card's traffic that one VLAN or tunnel has at most. A card has a few of them. */
const MAX_CARRIED_SHARE = 0.2;

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
    [...parts].flatMap(([card, { traffic }]) => (card.name === name && traffic ? [traffic] : []));
  for (const card of interfaces) {
    const { members = card.on && [card.on] } = card;
    const input = { timestamp, cells };
    parts.set(card, members ? sharedPart(card, members.flatMap(movedBy), input) : interfacePart(card, input));
  }
  const clock = (frame: CellValues, host: HostState) => {
    frame[timestamp] = Math.floor(host.clockEndMs / 1000);
  };
  const all = [...parts.values()];
  return {
    node: membersOf(interfaces, (card) => parts.get(card)?.node ?? null),
    fill: inTurn([clock, ...all.map(({ fill }) => fill), ...all.flatMap(({ toRates = [] }) => toRates)]),
  };
};

/** One member per card, ordered by name. */
function membersOf(interfaces: readonly HostCard[], nodeFor: (card: HostCard) => Node): Node {
  const members = [...interfaces].sort(byName).map((card) => {
    return { key: titleOf(card), value: slot.optional(card.present, nodeFor(card)) };
  });
  return slot.keyed(members);
}

function titleOf({ title, name }: HostCard): Text {
  return title ?? slot.text(name);
}

type InterfaceInput = { readonly timestamp: Cell; readonly cells: Cells };

/** Counters since boot, and rates. */
type Traffic = { readonly counters: Counters; readonly rates: Counters };

/** `toRates` is filled after the counters of all cards. */
type CardPart = Part & { readonly traffic?: Traffic; readonly toRates?: Fill };

/** A bond or team counts what its members count, a VLAN or tunnel its share of that of its card. They are filled before it. */
function sharedPart(card: HostCard, members: readonly Traffic[], { timestamp, cells }: InterfaceInput): CardPart {
  const traffic = trafficCells(cells);
  const label = streamLabel(`net_io.${card.name}`);
  const rows = ['counters', 'rates'] as const;
  const sums = rows.flatMap((row) =>
    COUNTERS.map((counter) => ({ sum: traffic[row][counter], of: members.map((one) => one[row][counter]) })),
  );
  return {
    node: interfaceNode(card, timestamp, traffic),
    traffic,
    toRates: ratesFrom(traffic),
    fill(frame, { hostKey }) {
      const share = card.on === undefined ? 1 : MAX_CARRIED_SHARE * unit(keyOf(hostKey, label), 0) ** 2;
      for (const { sum, of } of sums) {
        frame[sum] = Math.floor(share * of.reduce((total, cell) => total + valueAt(frame, cell), 0));
      }
    },
  };
}

function trafficCells(cells: Cells): Traffic {
  return { counters: cells.row(...COUNTERS), rates: cells.row(...COUNTERS) };
}

/** Fills rates from counters, if the counters of the previous run are in the same cells before. */
function ratesFrom(traffic: Traffic): Fill {
  const toRates = ratesBetween(traffic);
  return (frame, { firstRun, intervalSeconds }) => toRates(frame, !firstRun, intervalSeconds);
}

function ratesBetween({ counters, rates }: Traffic) {
  const pairs = COUNTERS.map((counter) => ({ count: counters[counter], rate: rates[counter] }));
  return (frame: CellValues, isKnown: boolean, intervalSeconds: number): void => {
    for (let i = 0; i < pairs.length; i++) {
      const { count, rate } = pairs[i] as (typeof pairs)[number];
      const delta = valueAt(frame, count) - valueAt(frame, rate);
      frame[rate] = isKnown ? Math.floor(delta / intervalSeconds) : 0;
    }
  };
}

function interfacePart(card: HostCard, { timestamp, cells }: InterfaceInput): CardPart {
  const { container } = card;
  if (container !== undefined) return containerPart(card, container, { timestamp, cells });
  const still = card.packetsPerSecond.sent + card.packetsPerSecond.received === 0;
  if (still) return fixedPart(interfaceNode(card, timestamp, undefined));
  const traffic = trafficCells(cells);
  const traits = cells.row(...TRAITS);
  const now = { row: traffic.counters, traits, card };
  const before = { row: traffic.rates, traits, card };
  const label = streamLabel(`net_io.${card.name}`);
  return {
    node: interfaceNode(card, timestamp, traffic),
    traffic,
    toRates: ratesFrom(traffic),
    fill(frame, host) {
      const key = keyOf(host.hostKey, label);
      if (card.measured === undefined) draw(frame, traits, key);
      else drawMeasured(frame, traits, key, card.measured);
      count(frame, before, key, host.previousNetworkWork);
      count(frame, now, key, host.networkWork);
    },
  };
}

/** The host's end of a container's interface: it sends what the container receives, counted since the container started. */
function containerPart(card: HostCard, container: Container, { timestamp, cells }: InterfaceInput): Part {
  const traffic = trafficCells(cells);
  const toRates = ratesBetween(traffic);
  return {
    node: interfaceNode(card, timestamp, traffic),
    fill(frame, host) {
      if (frame[container.running] === 0) return;
      const key = containerKey(host, container.index);
      const seconds = valueAt(frame, container.upSeconds);
      const before = seconds - (host.checkMs - host.previousMs) / 1000;
      countForContainer(frame, traffic.counters, key, seconds);
      countForContainer(frame, traffic.rates, key, before);
      toRates(frame, !host.firstRun && before > 0, host.intervalSeconds);
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

function interfaceNode(card: HostCard, timestamp: Cell, traffic: Traffic | undefined): Node {
  const members = (row: keyof Traffic, nameOf: (counter: Counter) => string) => {
    const slots = COUNTERS.map((counter) => (traffic === undefined ? 0 : slot.integer(traffic[row][counter])));
    return Object.fromEntries(COUNTERS.map((counter, index) => [nameOf(counter), slots[index] ?? 0]));
  };
  return {
    name: card.title ?? card.name,
    timestamp: slot.integer(timestamp),
    ...members('counters', (counter) => counter),
    ...members('rates', (counter) => (counter.includes('_') ? `avg_${counter}_ps` : `avg_${counter}`)),
  };
}

/** What the traffic of a card is like on one host: drawn once, then used for both rows of counters. Losses are per packet. */
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
  for (const [name, value] of Object.entries(measured)) frame[traits[name as keyof MeasuredCard]] = value;
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

const FRAME_BYTES = 1500;

/** Bytes in this many packets: a function of the packets, so no packets mean no bytes. */
function packetBytes(key: number, packets: number, meanBytes: number): number {
  const varied = packets * meanBytes + 60 * meanBytes * (1 + smoothNoise(key, packets / 400));
  return Math.floor(Math.min(varied, packets * Math.max(FRAME_BYTES, meanBytes)));
}

function byName(a: HostCard, b: HostCard): number {
  return a.name < b.name ? -1 : 1;
}
