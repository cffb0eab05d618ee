import { type Cell, type Cells, type CellValues, type Node, type Row, slot, valueAt } from '../document/nodes.ts';
import { type Container, containerKey, containerWork, receivedBytes, sentBytes } from '../host/containers.ts';
import type { MeasuredCard, NetworkInterface } from '../host/hardware.ts';
import type { HostState } from '../host/host-state.ts';
import type { HostCard } from '../host/linux/guest-cards.ts';
import {
  AROUND_RECORDED,
  bursts,
  inRange,
  keyOf,
  smoothNoise,
  streamLabel,
  unit,
  type ValueRange,
  warp,
} from '../host/noise.ts';
import { type Fill, fixedPart, inTurn, type Part, type PartOf } from '../host/part.ts';

/* Shares and ranges without a source are chosen. */

const BURSTS = { block: 3600, depth: 7, strength: 0.8 };
const LOSSES = { grid: 40, strength: 0.98 };
const LOST = ['errin', 'errout', 'dropin', 'dropout'] as const;
const COUNTERS = ['bytes_sent', 'bytes_recv', 'packets_sent', 'packets_recv', ...LOST] as const;
/** Share of a card's traffic that one VLAN or tunnel has at most. A card has a few of them. */
const MAX_CARRIED_SHARE = 0.2;

type Counter = (typeof COUNTERS)[number];

type Counters = Row<Counter>;

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
  const trafficOf = (name: string) =>
    [...parts].flatMap(([card, { traffic }]) => (card.name === name && traffic ? [traffic] : []));
  for (const card of interfaces) {
    const { members = card.on && [card.on] } = card;
    const input = { timestamp, cells };
    parts.set(card, members ? sharedPart(card, members.flatMap(trafficOf), input) : interfacePart(card, input));
  }
  const clock = (frame: CellValues, host: HostState) => {
    frame[timestamp] = Math.floor(host.clockEndMs / 1000);
  };
  const all = [...parts.values()];
  return {
    node: membersOf(interfaces, (card) => parts.get(card)?.node ?? null),
    fill: inTurn([clock, ...all.map(({ fill }) => fill), ...all.flatMap(({ ratesFill = [] }) => ratesFill)]),
  };
};

/** One member per card, ordered by name. */
function membersOf(interfaces: readonly HostCard[], nodeFor: (card: HostCard) => Node): Node {
  const sorted = interfaces.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return slot.keyed(
    sorted.map((card) => {
      return { key: card.title ?? slot.text(card.name), value: slot.optional(card.present, nodeFor(card)) };
    }),
  );
}

type InterfaceInput = { readonly timestamp: Cell; readonly cells: Cells };

/** Counters since boot, and rates. Until these are filled, their cells hold the counters at the previous run. */
type Traffic = { readonly counters: Counters; readonly rates: Counters };

/** `ratesFill` runs after the counters of all cards are filled. */
type CardPart = Part & { readonly traffic?: Traffic; readonly ratesFill?: Fill };

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
    ratesFill: ratesFill(traffic),
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

/** Fills rates from counters, or with 0 in a run without a previous one. */
function ratesFill(
  { counters, rates }: Traffic,
  hasPrevious: (host: HostState, frame: CellValues) => boolean = ({ firstRun }) => !firstRun,
): Fill {
  const pairs = COUNTERS.map((counter) => ({ count: counters[counter], rate: rates[counter] }));
  return (frame, host) => {
    const isKnown = hasPrevious(host, frame);
    for (let i = 0; i < pairs.length; i++) {
      const { count, rate } = pairs[i] as (typeof pairs)[number];
      const delta = valueAt(frame, count) - valueAt(frame, rate);
      frame[rate] = isKnown ? Math.floor(delta / host.intervalSeconds) : 0;
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
    ratesFill: ratesFill(traffic),
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
function containerPart(card: HostCard, container: Container, { timestamp, cells }: InterfaceInput): CardPart {
  const traffic = trafficCells(cells);
  const upBefore = ({ checkMs, previousMs }: HostState, frame: CellValues) => {
    return valueAt(frame, container.upSeconds) - (checkMs - previousMs) / 1000;
  };
  return {
    node: interfaceNode(card, timestamp, traffic),
    ratesFill: ratesFill(traffic, (host, frame) => !host.firstRun && upBefore(host, frame) > 0),
    fill(frame, host) {
      if (frame[container.running] === 0) return;
      const key = containerKey(host, container.index);
      countForContainer(frame, traffic.counters, key, valueAt(frame, container.upSeconds));
      countForContainer(frame, traffic.rates, key, upBefore(host, frame));
    },
  };
}

/** Mean bytes of a container's packets. */
const CONTAINER_PACKET: ValueRange = [120, 900];

function countForContainer(frame: CellValues, row: Counters, key: number, seconds: number): void {
  const work = containerWork(key, seconds);
  const sent = receivedBytes(work);
  const received = sentBytes(work);
  frame[row.bytes_sent] = sent;
  frame[row.bytes_recv] = received;
  frame[row.packets_sent] = Math.floor(sent / inRange(CONTAINER_PACKET, unit(key, -8)));
  frame[row.packets_recv] = Math.floor(received / inRange(CONTAINER_PACKET, unit(key, -9)));
  for (const counter of LOST) frame[row[counter]] = 0;
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

/** Mean bytes of a card's packets on one host. */
const SENT_PACKET: ValueRange = [210, 500];
const RECEIVED_PACKET: ValueRange = [260, 700];
/** Shares of hosts that never lose a packet in this way. */
const LOSSLESS = { dropin: 0.45, dropout: 0.96, errin: 0.96, errout: 0.98 };

function draw(frame: CellValues, traits: Traits, key: number): void {
  // Most hosts have little traffic, and a few thousands of times as much.
  frame[traits.busy] = 0.03 * 4000 ** (unit(key, 0) ** 3);
  frame[traits.sentBytes] = inRange(SENT_PACKET, unit(key, 1));
  frame[traits.receivedBytes] = inRange(RECEIVED_PACKET, unit(key, 2));
  frame[traits.dropin] = lossOf(unit(key, 3), LOSSLESS.dropin);
  frame[traits.dropout] = lossOf(unit(key, 4), LOSSLESS.dropout);
  frame[traits.errin] = lossOf(unit(key, 5), LOSSLESS.errin);
  frame[traits.errout] = lossOf(unit(key, 6), LOSSLESS.errout);
}

/** A recorded card has about the same traffic on all hosts: 80 to 120 %. */
function drawMeasured(frame: CellValues, traits: Traits, key: number, measured: MeasuredCard): void {
  frame[traits.busy] = inRange(AROUND_RECORDED, unit(key, 0));
  for (const [name, value] of Object.entries(measured)) frame[traits[name as keyof MeasuredCard]] = value;
}

/** Lost packets per packet: 0 on a share of the hosts, from one in ten million to one in a thousand on the others. */
function lossOf(chance: number, lossless: number): number {
  return chance < lossless ? 0 : 10 ** (-7 + (4 * (chance - lossless)) / (1 - lossless));
}

type CountedRow = { readonly row: Counters; readonly traits: Traits; readonly card: NetworkInterface };

/** Packets that a card sends and receives during a boot. A recorded card's packets already include them. */
const BOOT_PACKETS = { sent: 120, received: 150 };
const NO_PACKETS = { sent: 0, received: 0 };

function count(frame: CellValues, { row, traits, card }: CountedRow, key: number, work: number): void {
  const busy = valueAt(frame, traits.busy) * bursts(work, key, BURSTS);
  const boot = card.measured === undefined ? BOOT_PACKETS : NO_PACKETS;
  const sent = Math.floor(boot.sent + card.packetsPerSecond.sent * busy);
  const received = card.loops ? sent : Math.floor(boot.received + card.packetsPerSecond.received * busy);
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

/** Most bytes of a packet (Ethernet). */
const FRAME_BYTES = 1500;
/** Sums of packet sizes deviate by up to this many packets, back and forth within this many. */
const DEVIATING_PACKETS = 60;
const DEVIATION_PACKETS = 400;

/** Bytes in this many packets: a function of the packets, so no packets mean no bytes. */
function packetBytes(key: number, packets: number, meanBytes: number): number {
  const deviation = DEVIATING_PACKETS * meanBytes * (1 + smoothNoise(key, packets / DEVIATION_PACKETS));
  return Math.floor(Math.min(packets * meanBytes + deviation, packets * Math.max(FRAME_BYTES, meanBytes)));
}
