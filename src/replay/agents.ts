import { UserError } from '../base/kernel/errors.ts';
import { type AddressColumns, type AgentEstimate, agentEstimates } from './address-columns.ts';
import { addressIn, answerIn, isRegistered, operationIn } from './arrival-rows.ts';

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

type Fleet = {
  readonly addresses: number;
  readonly cadenceSeconds: number | undefined;
  /** As the user says. */
  readonly agents: number | undefined;
};

/** Numbers the agents behind the addresses. @throws UserError if the user gave fewer agents than the log introduces */
export function numberAgents(columns: AddressColumns, { addresses, cadenceSeconds, agents }: Fleet): AgentNumbers {
  const estimateOf = agentEstimates(columns, cadenceSeconds);
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
  const sharedAddresses = new Map<number, SharedAddress>();
  // With `--agents`, the known agents are distributed in proportion to the estimates. Addresses may then share one.
  const share = known / Math.max(1, totals.known);
  /** Known agents of the addresses before. */
  let estimated = 0;
  let next = known;
  for (let address = 0; address < addresses; address++) {
    const estimate = estimateOf(address);
    const from = Math.floor(estimated * share);
    estimated += estimate.known;
    const to = estimate.known === 0 ? from : Math.max(from + 1, Math.floor(estimated * share));
    if (to - from + estimate.introduced === 1) single[address] = to > from ? from : next;
    else sharedAddresses.set(address, sharedAddress({ from, to, next, estimate }));
    next += estimate.introduced;
  }
  return {
    agents: totals.introduced + known,
    known,
    addresses,
    shared: sharedAddresses.size,
    cadenceSeconds,
    agentOf: (tag) => {
      const address = addressIn(tag);
      const agent = single[address] as number;
      return agent === SEVERAL ? nextAgentAt(sharedAddresses.get(address) as SharedAddress, answerIn(tag)) : agent;
    },
  };
}

const SEVERAL = -1;

type Range = { readonly from: number; readonly to: number; readonly next: number; readonly estimate: AgentEstimate };

function sharedAddress({ from, to, next, estimate: { introduced, atOnce } }: Range): SharedAddress {
  const queue = Array.from({ length: to - from }, (_, index) => from + index);
  // A host that registers again, because it was set up again, replaces the one before.
  const maxAgents = atOnce !== undefined && introduced >= 2 * atOnce ? atOnce : Number.POSITIVE_INFINITY;
  return { queue, head: 0, next, end: next + introduced, registered: [], turns: 0, maxAgents };
}

/** The agents of an address that has several. A log does not tell them apart: they take turns, as agents with the same interval do. */
type SharedAddress = {
  /** Agents that push, from `head` on; the one that pushed longest ago is first. */
  readonly queue: number[];
  head: number;
  /** The next agent to register, and the end of those that will. */
  next: number;
  readonly end: number;
  /** Registered agents, which push at the same time. */
  readonly registered: number[];
  /** Requests other than pushes of check data. */
  turns: number;
  /** Agents at a time. */
  readonly maxAgents: number;
};

function nextAgentAt(shared: SharedAddress, answer: number): number {
  const operation = operationIn(answer);
  const { queue, registered } = shared;
  const registering = shared.end - shared.next;
  const pushing = queue.length - shared.head;
  if (operation === 'register' && registering > 0) {
    if (!isRegistered(answer)) return shared.next + (shared.turns++ % registering);
    const agent = shared.next++;
    registered.push(agent);
    queue.push(agent);
    if (pushing >= shared.maxAgents) shared.head++;
    return agent;
  }
  // It pushed without a registration that the log shows.
  if (pushing === 0) return Math.min(shared.next, shared.end - 1);
  if (operation !== 'checkdata') return queue[shared.head + (shared.turns++ % pushing)] as number;
  const first = registered.shift();
  if (first !== undefined) return first;
  const agent = queue[shared.head++] as number;
  queue.push(agent);
  if (shared.head > 1024 && shared.head * 2 > queue.length) shared.head -= queue.splice(0, shared.head).length;
  return agent;
}
