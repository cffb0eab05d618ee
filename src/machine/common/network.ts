import { type Cells, type Frame, integer, type Node } from '../document/nodes.ts';
import { fixedPart, inTurn, type Part, type PartOf } from '../part.ts';
import { keyOf, type Moment, streamLabel } from '../time/moment.ts';
import { smoothNoise, unit, warp } from '../time/noise.ts';

export type NetworkInterface = {
  readonly name: string;
  readonly up: boolean;
  readonly duplex: 0 | 1 | 2;
  /** Mbit/s; -1 where the driver does not say. */
  readonly speed: number;
  readonly mtu: number;
  /** Mean packets per second at usual activity; 0 for a card without traffic. */
  readonly packetsPerSecond: { readonly sent: number; readonly received: number };
  /** What is sent comes back: the loopback device. */
  readonly loops: boolean;
};

const BURSTS = { grid: 31, strength: 0.8 };
const COUNTERS = ['bytes_sent', 'bytes_recv', 'packets_sent', 'packets_recv', 'errin', 'errout', 'dropin', 'dropout'];
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

/** `bytes_sent`, `bytes_recv`, `packets_sent`, `packets_recv` and `dropin` move; errors do not happen. */
const MOVING = [0, 1, 2, 3, 6] as const;

/** The check `net_stats`. */
export function netStatsCheck(interfaces: readonly NetworkInterface[]): Part {
  const entries = interfaces.map(
    ({ name, up, duplex, speed, mtu }) => [name, { isup: up, duplex, speed, mtu }] as const,
  );
  return fixedPart(Object.fromEntries(entries.sort(byName)));
}

/** The check `net_io`: rates are the difference to the run before, per whole second. */
export const netIoCheck: PartOf<readonly NetworkInterface[]> = (interfaces, cells) => {
  const timestamp = cells.take();
  const parts = interfaces.map((card) => [card.name, interfacePart(card, { timestamp, cells })] as const);
  const sorted = [...parts].sort(byName);
  const clock = (frame: Frame, moment: Moment) => {
    frame[timestamp] = Math.floor(moment.clockEndMs / 1000);
  };
  return {
    node: Object.fromEntries(sorted.map(([name, part]) => [name, part.node])),
    fill: inTurn([clock, ...parts.map(([, part]) => part.fill)]),
  };
};

type Place = { readonly timestamp: number; readonly cells: Cells };

function interfacePart(card: NetworkInterface, { timestamp, cells }: Place): Part {
  const still = card.packetsPerSecond.sent + card.packetsPerSecond.received === 0;
  if (still) return fixedPart(interfaceNode(card.name, timestamp, () => 0));
  const counters = cells.take(MOVING.length);
  const rates = cells.take(MOVING.length);
  const traits = cells.take(TRAITS);
  const now = { row: counters, traits, card };
  const before = { row: rates, traits, card };
  const label = streamLabel(`net_io.${card.name}`);
  const node = interfaceNode(card.name, timestamp, (field, rate) => {
    const place = MOVING.indexOf(field as (typeof MOVING)[number]);
    return place < 0 ? 0 : integer((rate ? rates : counters) + place);
  });
  return {
    node,
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, label);
      draw(frame, traits, key);
      count(frame, before, key, moment.previousWork);
      count(frame, now, key, moment.work);
      for (let i = 0; i < MOVING.length; i++) {
        const delta = (frame[counters + i] as number) - (frame[rates + i] as number);
        frame[rates + i] = moment.firstRun ? 0 : Math.floor(delta / moment.intervalSeconds);
      }
    },
  };
}

function interfaceNode(name: string, timestamp: number, value: (field: number, rate: boolean) => Node): Node {
  const counters = COUNTERS.map((key, field) => [key, value(field, false)] as const);
  const rates = RATES.map((key, field) => [`avg_${key}`, value(field, true)] as const);
  return { name, timestamp: integer(timestamp), ...Object.fromEntries([...counters, ...rates]) };
}

/** Cells for what is the host's own about a card: drawn once, then used for both rows. */
const TRAITS = 3;

function draw(frame: Frame, traits: number, key: number): void {
  frame[traits] = 0.3 + 1.4 * unit(key, 0);
  frame[traits + 1] = 210 + 500 * unit(key, 1);
  frame[traits + 2] = 260 + 700 * unit(key, 2);
}

type Counted = { readonly row: number; readonly traits: number; readonly card: NetworkInterface };

/** The five moving counters after so much work, into five cells. */
function count(frame: Frame, { row, traits, card }: Counted, key: number, work: number): void {
  const busy = (frame[traits] as number) * warp(work, key, BURSTS);
  const sent = Math.floor(120 + card.packetsPerSecond.sent * busy);
  const received = card.loops ? sent : Math.floor(150 + card.packetsPerSecond.received * busy);
  const sentBytes = packetBytes(key + 1, sent, frame[traits + 1] as number);
  frame[row] = sentBytes;
  frame[row + 1] = card.loops ? sentBytes : packetBytes(key + 2, received, frame[traits + 2] as number);
  frame[row + 2] = sent;
  frame[row + 3] = received;
  frame[row + 4] = card.loops ? 0 : Math.floor(received * 0.00004);
}

/** Bytes in so many packets: as a function of the packets, so that no packets mean no bytes. */
function packetBytes(key: number, packets: number, meanBytes: number): number {
  return Math.floor(packets * meanBytes + 60 * meanBytes * (1 + smoothNoise(key, packets / 400)));
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}
