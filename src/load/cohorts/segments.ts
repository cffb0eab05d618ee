import { type Cohort, type CohortFacts, membership } from './cohort.ts';

/** A part of a fleet whose figures are reported under its name. */
export type NamedCohort = { readonly name: string; readonly cohort: Cohort };

/** Agents that are in the same cohorts. Each agent is in one segment, so the figures of all segments add up to those of the fleet. */
export type Segments = {
  /** Names of the cohorts of each segment. */
  readonly list: readonly (readonly string[])[];
  /** Index in the list of the n-th of the agents. */
  readonly of: (n: number) => number;
};

/**
 * Computes the segments of some agents of a fleet, once.
 * @param indexOf returns the index in the fleet of the n-th of these agents.
 */
export function segmentsOf(
  cohorts: readonly NamedCohort[],
  facts: CohortFacts,
  { agents, indexOf }: { readonly agents: number; readonly indexOf: (n: number) => number },
): Segments {
  const tests = cohorts.map(({ name, cohort }) => ({ name, isMember: membership(cohort, name, facts) }));
  const list: (readonly string[])[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (agent: number): number => {
    const names = tests.flatMap(({ name, isMember }) => (isMember(agent) ? name : []));
    const key = names.join('\n');
    const number = numbers.get(key) ?? list.push(names) - 1;
    numbers.set(key, number);
    return number;
  };
  const own = Uint32Array.from({ length: agents }, (_, n) => numberOf(indexOf(n)));
  return { list, of: (n) => own[n] ?? 0 };
}
