import { UserError } from '../base/kernel/errors.ts';
import type { Operation } from '../base/protocol/operations.ts';
import { ENDPOINTS } from '../base/protocol/push.ts';
import { addressIn, answerIn, endpointIn, ROW_NUMBERS, statusIn } from './arrival-rows.ts';
import { createCadenceFinder } from './cadence.ts';

const REGISTER = ENDPOINTS.indexOf('register_agent');
export const CHECKDATA_ENDPOINT = ENDPOINTS.indexOf('submit_checkdata');
/** Statuses of answers to a registration that made the agent known, and to an agent that confirmed its password. */
const REGISTERED = 201;
const AUTHORIZED = 200;

/** What an agent did, from the endpoint and the status. */
export function operationIn(answer: number): Operation {
  const endpoint = endpointIn(answer);
  if (endpoint !== REGISTER) return endpoint === CHECKDATA_ENDPOINT ? 'checkdata' : 'packages';
  return statusIn(answer) === AUTHORIZED ? 'authorize' : 'register';
}

/** Which agents there were behind the addresses of a log. */
export type AgentNumbers = {
  /** Agents are numbered below this. */
  readonly agents: number;
  /** Those that the log does not introduce by a registration have the first numbers. */
  readonly known: number;
  readonly addresses: number;
  /** Addresses with more than one agent. */
  readonly shared: number;
  /** The interval at which agents send; `undefined` if the log shows none. */
  readonly cadenceSeconds: number | undefined;
  /** The agent of an arrival. Call it for all arrivals, in order of time. */
  readonly agentOf: (tag: number) => number;
};

/** What is known of each address. */
type Columns = {
  readonly firstUs: Float64Array;
  readonly lastUs: Float64Array;
  /** Gaps between requests that an agent sends once in each interval, and their sums by length, in `OCTAVES` classes for each address. */
  readonly gaps: Uint32Array;
  readonly gapSumsUs: Float64Array;
  readonly registered: Uint32Array;
  /** Bits: the first request was a registration; there was one that failed. */
  readonly flags: Uint8Array;
};

const FIRST_REGISTERS = 1;
const FAILED_TO_REGISTER = 2;
/** The first class has gaps below 16 seconds; each other one is twice as wide as the one before. */
const OCTAVES = 8;
const FIRST_OCTAVE_US = 16e6;
/** Longer gaps, in intervals, are outages. */
const OUTAGE = 2;
/** Fewer gaps show nothing. */
const ENOUGH_GAPS = 4;

/** Learns from sorted rows, in any order of the runs, how many agents there are behind each address. */
export type AddressBook = {
  readonly observe: (rows: Float64Array) => void;
  /** @param agents the size of the fleet if the user knows it */
  readonly numbers: (agents: number | undefined) => AgentNumbers;
};

function columns(size: number): Columns {
  return {
    firstUs: new Float64Array(size).fill(Number.POSITIVE_INFINITY),
    lastUs: new Float64Array(size).fill(Number.NaN),
    gaps: new Uint32Array(size),
    gapSumsUs: new Float64Array(size * OCTAVES),
    registered: new Uint32Array(size),
    flags: new Uint8Array(size),
  };
}

function grown(old: Columns): Columns {
  const more = columns(old.flags.length * 2);
  for (const name of Object.keys(old) as (keyof Columns)[]) more[name].set(old[name]);
  return more;
}

export function createAddressBook(): AddressBook {
  const cadence = createCadenceFinder();
  let book = columns(4096);
  let addresses = 0;

  const noteRegistration = (address: number, isNew: boolean): void => {
    const { registered, flags } = book;
    if (isNew) registered[address] = (registered[address] as number) + 1;
    else flags[address] = (flags[address] as number) | FAILED_TO_REGISTER;
  };
  const noteGap = (address: number, atUs: number): void => {
    const { lastUs, gaps, gapSumsUs } = book;
    const gapUs = atUs - (lastUs[address] as number);
    lastUs[address] = atUs;
    cadence.take(atUs, gapUs);
    if (!(gapUs >= 0)) return;
    gaps[address] = (gaps[address] as number) + 1;
    const octave = gapUs <= FIRST_OCTAVE_US ? 0 : Math.ceil(Math.log2(gapUs / FIRST_OCTAVE_US));
    const place = address * OCTAVES + Math.min(OCTAVES - 1, octave);
    gapSumsUs[place] = (gapSumsUs[place] as number) + gapUs;
  };
  const observeRow = (atUs: number, tag: number): void => {
    const address = addressIn(tag);
    const answer = answerIn(tag);
    const operation = operationIn(answer);
    const isNew = operation === 'register' && statusIn(answer) === REGISTERED;
    while (address >= book.flags.length) book = grown(book);
    addresses = Math.max(addresses, address + 1);
    if (operation === 'register') noteRegistration(address, isNew);
    const { firstUs, flags } = book;
    if (atUs < (firstUs[address] as number)) {
      firstUs[address] = atUs;
      const failed = (flags[address] as number) & FAILED_TO_REGISTER;
      flags[address] = failed | (operation === 'register' ? FIRST_REGISTERS : 0);
    }
    // In each interval, an agent pushes check data, or registers in vain.
    if (operation === 'checkdata' || (operation === 'register' && !isNew)) noteGap(address, atUs);
  };
  return {
    observe: (rows) => {
      for (let at = 0; at < rows.length; at += ROW_NUMBERS) observeRow(rows[at] as number, rows[at + 1] as number);
    },
    numbers: (agents) => numbersOf(book, { addresses, cadenceSeconds: cadence.seconds(), agents }),
  };
}

/** Agents of an address that the log introduces, and others; `atOnce`: how many of them the interval shows. */
type Estimate = { readonly introduced: number; readonly known: number; readonly atOnce: number | undefined };

function estimates({ gaps, gapSumsUs, registered, flags }: Columns, cadenceSeconds: number | undefined) {
  const intervalUs = (cadenceSeconds ?? Number.NaN) * 1e6;
  const octaves = Math.max(1, Math.ceil(Math.log2((OUTAGE * intervalUs) / FIRST_OCTAVE_US)) + 1);
  const atOnceOf = (address: number): number | undefined => {
    const count = gaps[address] as number;
    if (cadenceSeconds === undefined || count < ENOUGH_GAPS) return undefined;
    const sums = gapSumsUs.subarray(address * OCTAVES, address * OCTAVES + Math.min(OCTAVES, octaves));
    return Math.max(1, Math.round((intervalUs * count) / sums.reduce((sum, one) => sum + one, 0)));
  };
  return (address: number): Estimate => {
    const atOnce = atOnceOf(address);
    const flag = flags[address] as number;
    const isFirst = (flag & FIRST_REGISTERS) !== 0;
    const inVain = isFirst ? (atOnce ?? 1) : flag & FAILED_TO_REGISTER ? 1 : 0;
    const introduced = (registered[address] as number) || inVain;
    return { introduced, known: isFirst ? 0 : Math.max(1, (atOnce ?? 1) - introduced), atOnce };
  };
}

type Fleet = {
  readonly addresses: number;
  readonly cadenceSeconds: number | undefined;
  /** As the user says. */
  readonly agents: number | undefined;
};

function numbersOf(book: Columns, { addresses, cadenceSeconds, agents }: Fleet): AgentNumbers {
  const estimateOf = estimates(book, cadenceSeconds);
  const totals = { introduced: 0, known: 0 };
  for (let address = 0; address < addresses; address++) {
    const { introduced, known } = estimateOf(address);
    totals.introduced += introduced;
    totals.known += known;
  }
  const known = agents === undefined ? totals.known : agents - totals.introduced;
  const least = Math.min(1, totals.known);
  if (known < least)
    throw new UserError(
      `--agents: expected at least ${totals.introduced + least}, because the log has registrations of ${totals.introduced} new agents, found ${agents}.`,
    );
  /** The agent of an address that has only one. */
  const single = new Int32Array(addresses).fill(SEVERAL);
  const sites = new Map<number, Site>();
  // With `--agents`, the known agents are distributed in proportion to the estimates. Addresses may then share one.
  const share = known / Math.max(1, totals.known);
  let place = 0;
  let next = known;
  for (let address = 0; address < addresses; address++) {
    const estimate = estimateOf(address);
    const from = Math.floor(place * share);
    place += estimate.known;
    const to = estimate.known === 0 ? from : Math.max(from + 1, Math.floor(place * share));
    if (to - from + estimate.introduced === 1) single[address] = to > from ? from : next;
    else sites.set(address, siteOf({ from, to, next, estimate }));
    next += estimate.introduced;
  }
  return {
    agents: totals.introduced + known,
    known,
    addresses,
    shared: sites.size,
    cadenceSeconds,
    agentOf: (tag) => {
      const address = addressIn(tag);
      const agent = single[address] as number;
      return agent === SEVERAL ? agentAt(sites.get(address) as Site, answerIn(tag)) : agent;
    },
  };
}

const SEVERAL = -1;

type Range = { readonly from: number; readonly to: number; readonly next: number; readonly estimate: Estimate };

function siteOf({ from, to, next, estimate: { introduced, atOnce } }: Range): Site {
  const queue = Array.from({ length: to - from }, (_, index) => from + index);
  // A host that registers again, because it was set up again, replaces the one before.
  const most = atOnce !== undefined && introduced >= 2 * atOnce ? atOnce : Number.POSITIVE_INFINITY;
  return { queue, head: 0, next, end: next + introduced, fresh: [], turns: 0, most };
}

/** The agents of an address that has several. A log does not tell them apart: they take turns, as agents with the same interval do. */
type Site = {
  /** Agents that push, from `head` on; the one that pushed longest ago is first. */
  readonly queue: number[];
  head: number;
  /** The next agent to register, and the end of those that will. */
  next: number;
  readonly end: number;
  /** Registered agents, which push at the same time. */
  readonly fresh: number[];
  /** Requests other than pushes of check data. */
  turns: number;
  /** Agents at a time. */
  readonly most: number;
};

function agentAt(site: Site, answer: number): number {
  const operation = operationIn(answer);
  const { queue, fresh } = site;
  const registering = site.end - site.next;
  const pushing = queue.length - site.head;
  if (operation === 'register' && registering > 0) {
    if (statusIn(answer) !== REGISTERED) return site.next + (site.turns++ % registering);
    const agent = site.next++;
    fresh.push(agent);
    queue.push(agent);
    if (pushing >= site.most) site.head++;
    return agent;
  }
  // It pushed without a registration that the log shows.
  if (pushing === 0) return Math.min(site.next, site.end - 1);
  if (operation !== 'checkdata') return queue[site.head + (site.turns++ % pushing)] as number;
  const first = fresh.shift();
  if (first !== undefined) return first;
  const agent = queue[site.head++] as number;
  queue.push(agent);
  if (site.head > 1024 && site.head * 2 > queue.length) site.head -= queue.splice(0, site.head).length;
  return agent;
}
