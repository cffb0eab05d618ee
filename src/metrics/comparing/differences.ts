import { isDeepStrictEqual } from 'node:util';
import type { Summary } from '../summary/summary-schema.ts';

/** Differences between the runs, other than the server, that could explain a result: one sentence each. */
export function differences(base: readonly Summary[], candidate: readonly Summary[]): string[] {
  const facts = FACTS.flatMap(({ name, of }) => {
    const [before, after] = [distinct(base.map(of)), distinct(candidate.map(of))];
    return isDeepStrictEqual(before, after) && before.length === 1 ? [] : [differenceText(name, before, after)];
  });
  const keys = changedScenarioKeys([...base, ...candidate]);
  const seeds = [base, candidate].map((runs) => distinct(runs.map(({ seed }) => String(seed))));
  const scenario = keys.length === 0 ? [] : [`the scenarios differ in ${keys.join(', ')}`];
  const conditions = differentConditions({ base: byStart(base), candidate: byStart(candidate) });
  return [...scenario, ...seedDifference(seeds[0] ?? [], seeds[1] ?? []), ...facts, ...conditions];
}

/** Cores that others took, as processes or as a hypervisor: a difference of this size can change response times. */
const MUCH_OF_A_CORE = 0.25;

/** Sides that were not taken in turns, and pairs beside which others used the machine differently. */
function differentConditions(sides: Sides): string[] {
  if (!areInTurns(sides))
    return ['the runs were not taken in turns, so a change of the machine between them looks like one of the server'];
  return sides.base.flatMap((run, index) => {
    const [before, after] = [coresOfOthers(run), coresOfOthers(sides.candidate[index])];
    if (before === undefined || after === undefined || Math.abs(after - before) <= MUCH_OF_A_CORE) return [];
    return `pair ${index + 1} ran under different load: others used ${before.toFixed(1)} cores beside the base, and ${after.toFixed(1)} beside the candidate`;
  });
}

function coresOfOthers(run: Summary | undefined): number | undefined {
  const { otherCores, stealShare = 0, cores = 0 } = run?.validity.machine ?? {};
  return otherCores === undefined ? undefined : otherCores + stealShare * cores;
}

const FACTS: readonly { readonly name: string; readonly of: (summary: Summary) => string }[] = [
  { name: 'Muster', of: ({ environment }) => environment.muster },
  { name: 'Node', of: ({ environment }) => environment.node },
  { name: 'platform', of: ({ environment }) => environment.platform },
  { name: 'processor', of: ({ environment: { cpuCount, cpuModel } }) => `${cpuCount} × ${cpuModel}` },
  { name: 'part of the fleet', of: ({ shard }) => (shard === undefined ? 'all' : `${shard.number}/${shard.of}`) },
  { name: 'workers', of: ({ environment }) => String(environment.workers) },
];

/** Changes since the previous run: keys of the scenario, and facts such as `Muster 0.1.0 → 0.2.0`. */
export function changesSince(before: Summary, run: Summary): string[] {
  const facts = FACTS.filter(({ of }) => of(before) !== of(run));
  return [...changedScenarioKeys([before, run]), ...facts.map(({ name, of }) => `${name} ${of(before)} → ${of(run)}`)];
}

/** A server that remembers agents needs another seed for each run. Only seeds that differ by side could explain a difference of the sides. */
function seedDifference(base: readonly string[], candidate: readonly string[]): string[] {
  if (base.some((seed) => candidate.includes(seed)) || base.length > 1 || candidate.length > 1) return [];
  return [
    `${differenceText('seed', base, candidate)}: each side has hosts of its own; use several seeds on both sides`,
  ];
}

function changedScenarioKeys(runs: readonly Summary[]): readonly string[] {
  return changedKeys(runs.map(({ scenario }) => scenario)).filter((key) => key !== 'fleet.seed');
}

function differenceText(name: string, before: readonly string[], after: readonly string[]): string {
  return `${name} differs: base ${before.join(' and ')}, candidate ${after.join(' and ')}`;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

/** Keys whose values differ, such as `fleet.agents`. */
export function changedKeys(scenarios: readonly Record<string, unknown>[]): string[] {
  const [first = {}, ...others] = scenarios.map(flattened);
  const keys = [...new Set(others.flatMap((other) => [...Object.keys(first), ...Object.keys(other)]))];
  return keys.filter((key) => others.some((other) => !isDeepStrictEqual(other[key], first[key])));
}

/** Flattens two levels; deeper values count as one setting. */
function flattened(scenario: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(scenario).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([name, inner]) => [`${key}.${name}`, inner] as const)
        : [[key, value] as const],
    ),
  );
}

export type Sides = { readonly base: readonly Summary[]; readonly candidate: readonly Summary[] };

export function byStart(runs: readonly Summary[]): readonly Summary[] {
  const starts = new Map(runs.map((run) => [run, Date.parse(run.startedAt)]));
  return runs.toSorted((one, other) => (starts.get(one) ?? 0) - (starts.get(other) ?? 0));
}

/** Whether the runs form pairs in time: one of each side, in either order, and then the next pair. */
export function areInTurns({ base, candidate }: Sides): boolean {
  const starts = base.map((run, index) => [run, candidate[index]].map((one) => Date.parse(one?.startedAt ?? '')));
  const isAfter = ([one, other]: readonly number[], before: readonly number[] = []): boolean =>
    one !== other && Math.max(0, ...before) < Math.min(one ?? Number.NaN, other ?? Number.NaN);
  return base.length === candidate.length && starts.every((pair, index) => isAfter(pair, starts[index - 1]));
}
