import { once, oncePerObject } from '../../base/kernel/memoize.ts';
import { labeled } from '../../base/kernel/random.ts';
import { formatPercent, MIB } from '../../base/kernel/units.ts';
import type { LifecycleState } from '../../base/protocol/operations.ts';

/** An expression that selects agents of a fleet. Plain data that can be sent to other threads. */
export type Cohort =
  /** A share of the fleet from 0 to 1, to the nearest agent, drawn from the seed and the purpose of the draw. */
  | { readonly kind: 'share'; readonly share: number }
  /** Agents by index in the fleet, both bounds included. */
  | { readonly kind: 'agents'; readonly first: number; readonly last: number }
  /** Agents with a fact that matches a pattern. `*` matches any text; case is ignored. */
  | { readonly kind: 'fact'; readonly fact: Fact; readonly pattern: string }
  | { readonly kind: 'not'; readonly cohort: Cohort }
  | { readonly kind: 'and' | 'or'; readonly left: Cohort; readonly right: Cohort };

/** Facts about agents that expressions can use. `state` is the lifecycle state, which changes during a run. */
export const FACTS = ['profile', 'role', 'group', 'host', 'uuid', 'state'] as const;

export type Fact = (typeof FACTS)[number];

export const EVERYONE: Cohort = { kind: 'share', share: 1 };

/** Access to facts, by index in the fleet. A function is called only if the cohort uses its fact. */
export type CohortFacts = {
  readonly seed: number;
  /** Size of the fleet. */
  readonly agents: number;
  readonly profile: (agent: number) => string;
  readonly role: (agent: number) => string;
  /** Empty if the fleet has no groups. */
  readonly group: (agent: number) => string;
  readonly host: (agent: number) => string;
  readonly uuid: (agent: number) => string;
  /** Absent if unknown, as before a run. A cohort then includes all agents that it may include later. */
  readonly state?: (agent: number) => LifecycleState;
};

type Membership = (agent: number) => boolean;

/** The memberships that were computed for a fleet, by cohort and draw, and the memory that they may still take. */
const membershipsOf = oncePerObject((_: CohortFacts) => ({
  known: new Map<string, Membership>(),
  spareBytes: 32 * MIB,
}));

/**
 * Tests membership in a cohort. The same `drawnFor`, the name of an event, draws the same shares: the agents of `10%` are among those of
 * `30%`, and `30% and not 10%` is a fifth of the fleet. Equal cohorts of the same facts share what is known of each agent.
 */
export function membership(cohort: Cohort, drawnFor: string, facts: CohortFacts): Membership {
  const context = { rankOf: ranked(facts.seed, `cohort.${drawnFor}`), facts, unknown: true };
  const isCheap = cohort.kind === 'agents' || (cohort.kind === 'share' && cohort.share === 1);
  if (isCheap || !(isStatic(cohort) || facts.state === undefined)) return compile(cohort, context);
  const memberships = membershipsOf(facts);
  const key = `${isDrawn(cohort) ? drawnFor : ''}\n${cohortText(cohort)}`;
  const shared = memberships.known.get(key);
  if (shared !== undefined) return shared;
  const sizeBytes = Math.ceil(facts.agents / AGENTS_PER_BYTE);
  if (sizeBytes > memberships.spareBytes) return compile(cohort, context);
  const membership = remembered(compile(cohort, context), sizeBytes);
  memberships.known.set(key, membership);
  memberships.spareBytes -= sizeBytes;
  return membership;
}

const AGENTS_PER_BYTE = 4;
const UNKNOWN = 0;
const MEMBER = 1;
const OTHER = 2;

/** Caches the test in two bits per agent. */
function remembered(isMember: Membership, sizeBytes: number): Membership {
  const known = new Uint8Array(sizeBytes);
  return (agent) => {
    const shift = 2 * (agent % AGENTS_PER_BYTE);
    const byte = known[agent >> 2] as number;
    const is = (byte >> shift) & 3;
    if (is !== UNKNOWN) return is === MEMBER;
    const found = isMember(agent);
    known[agent >> 2] = byte | ((found ? MEMBER : OTHER) << shift);
    return found;
  };
}

/** Ranks from 0 to 1 of agents, in the order of a draw. Unique for the first two million, so that each number of agents has its rank. */
export function ranked(seed: number, label: string): (agent: number) => number {
  const drawn = labeled(seed, label);
  return (agent) => (drawn(agent) + agent / 2 ** 21) / 2 ** 32;
}

const BUCKETS = 4096;

/** The rank below which exactly the share of these agents is, to the nearest agent. Sorting all ranks would take ten times as long. */
export function rankBelow(ranks: Float64Array, share: number): number {
  const below = Math.round(share * ranks.length);
  if (below >= ranks.length) return 1;
  const counts = new Uint32Array(BUCKETS);
  const bucketOf = (rank: number): number => Math.floor(rank * BUCKETS);
  for (const rank of ranks) counts[bucketOf(rank)] = (counts[bucketOf(rank)] ?? 0) + 1;
  let [bucket, before] = [0, 0];
  while (before + (counts[bucket] ?? 0) <= below) before += counts[bucket++] ?? 0;
  return ranks.filter((rank) => bucketOf(rank) === bucket).sort()[below - before] ?? 1;
}

/** `unknown` is the result for an unknown fact. `not` inverts it, so that a negation also includes all possible agents. */
type CompileContext = {
  readonly rankOf: (agent: number) => number;
  readonly facts: CohortFacts;
  readonly unknown: boolean;
};

function compile(cohort: Cohort, context: CompileContext): Membership {
  switch (cohort.kind) {
    case 'share': {
      const { rankOf, facts } = context;
      if (cohort.share === 1) return () => true;
      const bound = once(() =>
        rankBelow(
          Float64Array.from({ length: facts.agents }, (_, agent) => rankOf(agent)),
          cohort.share,
        ),
      );
      return (agent) => rankOf(agent) < bound();
    }
    case 'agents':
      return (agent) => cohort.first <= agent && agent <= cohort.last;
    case 'fact': {
      const factOf = context.facts[cohort.fact];
      if (factOf === undefined) return () => context.unknown;
      const matches = matcher(cohort.pattern);
      return (agent) => matches(factOf(agent));
    }
    case 'not': {
      const isIn = compile(cohort.cohort, { ...context, unknown: !context.unknown });
      return (agent) => !isIn(agent);
    }
    case 'and':
    case 'or': {
      const [first, second] = [cohort.left, cohort.right].sort((a, b) => costOf(a) - costOf(b));
      const [one, other] = [compile(first ?? cohort.left, context), compile(second ?? cohort.right, context)];
      if (cohort.kind === 'and') return (agent) => one(agent) && other(agent);
      return (agent) => one(agent) || other(agent);
    }
  }
}

const FACT_COSTS: Readonly<Record<Fact, number>> = { state: 1, profile: 2, role: 2, group: 2, uuid: 3, host: 10 };

/** Cost of an evaluation. Generating a host name takes as long as three uuids, so it is evaluated last. */
function costOf(cohort: Cohort): number {
  return choicesIn(cohort).reduce((sum, choice) => sum + (choice.kind === 'fact' ? FACT_COSTS[choice.fact] : 0), 0);
}

/** Returns a function that matches a text against a pattern in which `*` matches any text. */
export function matcher(pattern: string): (text: string) => boolean {
  const parts = pattern.toLowerCase().split('*');
  const [start = '', ...others] = parts;
  const end = others.pop();
  if (end === undefined) return (text) => text.toLowerCase() === start;
  return (text) => {
    const lower = text.toLowerCase();
    if (!lower.startsWith(start)) return false;
    let from = start.length;
    for (const part of others) {
      const at = lower.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return lower.length - end.length >= from && lower.endsWith(end);
  };
}

/** Whether the cohort has the same agents throughout a run. */
export function isStatic(cohort: Cohort): boolean {
  return choicesIn(cohort).every((choice) => choice.kind !== 'fact' || choice.fact !== 'state');
}

export function isDrawn(cohort: Cohort): boolean {
  return choicesIn(cohort).some((choice) => choice.kind === 'share' && choice.share > 0 && choice.share < 1);
}

/** The highest agent index in the expression; -1 if it has none. */
export function highestIndex(cohort: Cohort): number {
  return Math.max(...choicesIn(cohort).map((choice) => (choice.kind === 'agents' ? choice.last : -1)));
}

/** The operands without their operators. */
function choicesIn(cohort: Cohort): readonly Cohort[] {
  switch (cohort.kind) {
    case 'not':
      return choicesIn(cohort.cohort);
    case 'and':
    case 'or':
      return [...choicesIn(cohort.left), ...choicesIn(cohort.right)];
    default:
      return [cohort];
  }
}

/** Precedence of the operators. */
const BINDS = { or: 1, and: 2, not: 3 } as const;

/** The text that parses back to this cohort. */
export function cohortText(cohort: Cohort): string {
  switch (cohort.kind) {
    case 'share':
      return formatPercent(cohort.share);
    case 'agents':
      return cohort.first === cohort.last ? String(cohort.first) : `${cohort.first}..${cohort.last}`;
    case 'fact':
      return `${cohort.fact}=${valueText(cohort.pattern)}`;
    case 'not':
      return `not ${within(cohort.cohort, BINDS.not)}`;
    case 'and':
    case 'or': {
      const binds = BINDS[cohort.kind];
      // A right operand with the same operator was written in parentheses.
      return `${within(cohort.left, binds)} ${cohort.kind} ${within(cohort.right, binds + 1)}`;
    }
  }
}

function within(cohort: Cohort, binds: number): string {
  const text = cohortText(cohort);
  const isLooser = (cohort.kind === 'and' || cohort.kind === 'or') && BINDS[cohort.kind] < binds;
  return isLooser ? `(${text})` : text;
}

// Without quotes, a comma or a brace would end a value in the key of a threshold.
const BARE_VALUE = /^[^\s()"'\\,{}]+$/;

function valueText(value: string): string {
  return BARE_VALUE.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
