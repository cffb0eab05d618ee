import { z } from 'zod';
import { oneOf } from '../../notation/expectations.ts';
import { OPERATIONS } from '../../protocol/operations.ts';
import { operationLoad, registerLoad } from '../schema/load.ts';
import { agentCount, phaseName } from '../schema/scenario-file.ts';
import { DELIVERY, parseSubject } from '../schema/threshold.ts';
import { cohortsBeyond, misdirectedKeys, strangeInstants } from './event-checks.ts';
import { type Finding, quoted } from './finding.ts';
import { valueAt } from './schema-findings.ts';

// What can be read of a file whose other parts may be faulty: each check sees the parts it needs, or nothing.
const legible = z.looseObject({
  fleet: z.looseObject({ agents: agentCount.optional().catch(undefined) }).catch({ agents: undefined }),
  phases: z
    .array(
      z
        .looseObject({
          name: phaseName.optional().catch(undefined),
          register: registerLoad.optional().catch(undefined),
          authorize: operationLoad.optional().catch(undefined),
          checkdata: operationLoad.optional().catch(undefined),
          packages: operationLoad.optional().catch(undefined),
        })
        .catch({ name: undefined }),
    )
    .catch([]),
  thresholds: z.record(z.string(), z.unknown()).catch({}),
});

type Legible = z.output<typeof legible>;

const LOAD_KEYS = ['register', 'authorize', 'checkdata', 'packages'] as const;

const PHASE_KEYS: readonly string[] = ['name', 'duration', 'exclude', ...LOAD_KEYS];

/** What is wrong between the sections of a scenario, as far as each of them can be read. */
export function crossFindings(raw: unknown): readonly Finding[] {
  const result = legible.safeParse(raw);
  if (!result.success) return [];
  const { data } = result;
  return [
    ...idlePhases(raw),
    ...timelessPhases(data, raw),
    ...repeatedNames(data),
    ...excessSlots(data),
    ...strangeSubjects(data),
    ...misdirectedKeys(raw),
    ...strangeInstants(raw, phaseNames(data)),
    ...cohortsBeyond(raw, data.fleet.agents),
  ];
}

function idlePhases(raw: unknown): readonly Finding[] {
  return keysOfPhases(raw).flatMap((keys, index) => {
    if (keys === undefined) return [];
    // A load with a misspelt name is that problem alone.
    const isIdle = keys.every((key) => PHASE_KEYS.includes(key)) && !LOAD_KEYS.some((key) => keys.includes(key));
    const expected = 'at least one load: register, authorize, checkdata or packages';
    return isIdle ? [{ ...on(['phases', index]), expected, found: 'none' }] : [];
  });
}

function timelessPhases({ phases }: Legible, raw: unknown): readonly Finding[] {
  return keysOfPhases(raw).flatMap((keys = [], index) => {
    const isDerived = keys.includes('register') && phases[index]?.register?.kind !== 'concurrency';
    if (keys.includes('duration') || isDerived || !LOAD_KEYS.some((key) => keys.includes(key))) return [];
    return [{ ...on(['phases', index]), expected: 'a duration', found: 'none' }];
  });
}

/** The names that each phase uses, whatever is behind them; undefined for what is no section. */
function keysOfPhases(raw: unknown): readonly (readonly string[] | undefined)[] {
  const phases = valueAt(raw, ['phases']);
  if (!Array.isArray(phases)) return [];
  return phases.map((phase) => (typeof phase === 'object' && phase !== null ? Object.keys(phase) : undefined));
}

function repeatedNames({ phases }: Legible): readonly Finding[] {
  return phases.flatMap(({ name }, index): Finding[] => {
    const earlier = phases.findIndex((phase) => phase.name === name);
    if (name === undefined || earlier === index) return [];
    const expected = 'a name of its own for every phase';
    return [{ ...on(['phases', index, 'name']), expected, found: `${quoted(name)} again` }];
  });
}

function excessSlots({ fleet, phases }: Legible): readonly Finding[] {
  return phases.flatMap((phase, index) =>
    LOAD_KEYS.flatMap((key): Finding[] => {
      const load = phase[key];
      if (load?.kind !== 'concurrency' || fleet.agents === undefined || load.slots <= fleet.agents) return [];
      const expected = `at most the number of agents (${fleet.agents}), as an agent does one thing at a time`;
      return [{ ...on(['phases', index, key, 'concurrency']), expected, found: `the number ${load.slots}` }];
    }),
  );
}

function strangeSubjects(data: Legible): readonly Finding[] {
  const names = phaseNames(data);
  return Object.keys(data.thresholds).flatMap((key) => strangeSubject(key, names));
}

function phaseNames({ phases }: Legible): readonly string[] {
  return phases.flatMap(({ name }) => (name === undefined ? [] : [name]));
}

function strangeSubject(key: string, phases: readonly string[]): readonly Finding[] {
  if (key === DELIVERY) return [];
  const at = { path: ['thresholds', key], focus: 'key' } as const;
  const subject = parseSubject(key);
  if (subject === undefined)
    return [{ ...at, expected: 'operation or operation{phase:name}', found: quoted(key), candidates: [] }];
  const { operation, phase } = subject;
  if (operation === DELIVERY)
    return [
      { ...at, expected: 'delivery without a phase, as it is of the whole run', found: quoted(key), candidates: [] },
    ];
  const strange: Finding[] = [];
  if (!(OPERATIONS as readonly string[]).includes(operation))
    strange.push({
      ...at,
      expected: `an operation, ${oneOf(OPERATIONS)}, or delivery`,
      found: quoted(operation),
      candidates: [...OPERATIONS, DELIVERY],
    });
  if (phase !== undefined && !phases.includes(phase))
    strange.push({ ...at, expected: 'the name of a phase', found: quoted(phase), candidates: phases });
  return strange;
}

function on(path: Finding['path']): Pick<Finding, 'path' | 'focus' | 'candidates'> {
  return { path, focus: 'value', candidates: [] };
}
