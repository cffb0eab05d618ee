import { z } from 'zod';
import { type Finding, keyFinding, type Path, quoted, valueFinding } from '../base/notation/finding.ts';
import { NAME_PATTERN, plainName } from '../base/notation/section.ts';
import { type Cohort, cohortText, highestIndex, isStatic } from '../load/cohorts/cohort.ts';
import type { NamedCohort } from '../load/cohorts/segments.ts';
import { WHOLE_FLEET } from '../load/shard.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import { chosenCount, segmentsIn } from './cohort-members.ts';
import { parseSubject } from './conditions.ts';
import { cohort, readCohort } from './events.ts';
import type { Scenario } from './scenario.ts';

/** More would be more than a report can show. */
const MAX_COHORTS = 50;
const MAX_SEGMENTS = 250;

export const cohorts = z
  .object({}, 'names of cohorts, each with an expression such as role=web')
  .catchall(
    cohort.meta({
      description:
        'Agents as in the [cohort of an event](cohorts.md), without `state`; a share is drawn from the seed and this name.',
      examples: ['role=web', 'profile=windows-* and not 0..9', '10%'],
    }),
  )
  .prefault({})
  .meta({
    description: 'Parts of the fleet whose figures are reported by themselves, and that thresholds can name.',
    propertyNames: { pattern: NAME_PATTERN.source, examples: ['web'] },
    examples: [{ web: 'role=web', offices: 'profile=windows-* and not 0..9' }],
  });

/** The cohorts of a scenario: those with a name, and the facts that thresholds select by. */
export function cohortsOf(named: z.output<typeof cohorts>, thresholds: readonly Threshold[]): readonly NamedCohort[] {
  const all = new Map<string, Cohort>(Object.entries(named));
  for (const threshold of thresholds) {
    const name = threshold.kind === 'operation' ? threshold.cohort : undefined;
    if (name === undefined || all.has(name)) continue;
    const read = readCohort(name);
    if (read.kind === 'cohort') all.set(name, read.cohort);
  }
  return [...all].map(([name, cohort]) => ({ name, cohort }));
}

/** Whether a cohort has a name in the scenario, and is not only the fact of a threshold. */
export function isNamed({ name }: NamedCohort): boolean {
  return NAME_PATTERN.test(name);
}

/** The inverse of `cohortsOf`. */
export function cohortsFile(all: readonly NamedCohort[]): z.output<typeof cohorts> {
  return Object.fromEntries(all.filter(isNamed).map(({ name, cohort }) => [name, cohort]));
}

export type PartialCohorts = {
  readonly cohorts?: Partial<z.output<typeof cohorts>>;
  readonly fleet?: { readonly agents?: number };
};

export function cohortNames({ cohorts = {} }: PartialCohorts): readonly string[] {
  return Object.keys(cohorts);
}

/** Names that nothing could refer to, and cohorts that change in a run or are outside the fleet. */
export function cohortFindings({ cohorts = {}, fleet }: PartialCohorts): readonly Finding[] {
  const { agents = Number.POSITIVE_INFINITY } = fleet ?? {};
  return Object.entries(cohorts).flatMap(([name, cohort]): readonly Finding[] => {
    const path = ['cohorts', name];
    const named = plainName.safeParse(name);
    if (!named.success) return [keyFinding(path, named.error.issues[0]?.message ?? '', quoted(name))];
    if (cohort === undefined) return [];
    const found = quoted(cohortText(cohort));
    if (!isStatic(cohort))
      return [
        valueFinding(path, 'a cohort without state=, because figures need the same agents throughout a run', found),
      ];
    if (highestIndex(cohort) < agents) return [];
    return [valueFinding(path, `agents from 0 to ${agents - 1}, the range of this fleet`, found)];
  });
}

/** Cohorts without agents, and more cohorts than figures are kept of. @param keys those of the thresholds, as written */
export function idleCohorts({ cohorts, fleet }: Scenario, keys: readonly string[]): readonly Finding[] {
  const pathOf = (name = ''): Path => {
    const key = keys.find((one) => {
      const subject = parseSubject(one);
      return !('expected' in subject) && subject.cohort === name;
    });
    return NAME_PATTERN.test(name) || key === undefined ? ['cohorts', name] : ['thresholds', key];
  };
  if (cohorts.length > MAX_COHORTS) {
    const expected = `at most ${MAX_COHORTS} cohorts, those of thresholds included`;
    return [keyFinding(pathOf(cohorts[MAX_COHORTS]?.name), expected, String(cohorts.length))];
  }
  const empty = cohorts.filter(({ name, cohort }) => chosenCount({ name, cohort }, fleet, 1) === 0);
  if (empty.length > 0)
    return empty.map(({ name }) => keyFinding(pathOf(name), 'a cohort with at least one agent', 'an empty one'));
  const { length } = segmentsIn({ cohorts, fleet }, WHOLE_FLEET)?.list ?? [];
  if (length <= MAX_SEGMENTS) return [];
  const expected = `cohorts that divide the fleet into at most ${MAX_SEGMENTS} parts; let fewer of them overlap`;
  return [keyFinding(['cohorts'], expected, `${length} parts`)];
}
