import { oneOf } from '../../notation/expectations.ts';
import { type Finding, type Path, quoted } from '../../notation/finding.ts';
import { INSTANT_FORM } from '../../notation/instant.ts';
import { valueAt } from '../../notation/schema-findings.ts';
import { isOperation, OPERATIONS, type Operation } from '../../protocol/operations.ts';
import type { ScenarioFile } from '../schema/scenario-file.ts';
import { DELIVERY, parseSubject } from '../schema/threshold.ts';

/** What could be read of a scenario file: parts that are faulty or not there are absent. */
export type LegibleFile = {
  readonly target?: { readonly faults?: LegibleList<ScenarioFile['target']['faults'][number]> };
  readonly fleet?: Partial<ScenarioFile['fleet']>;
  readonly machine?: { readonly incidents?: LegibleList<ScenarioFile['machine']['incidents'][number]> };
  readonly phases?: LegibleList<ScenarioFile['phases'][number]>;
};

type LegibleList<Entry> = readonly (Partial<Entry> | undefined)[];

/** What is wrong between the sections of a scenario, as far as each of them could be read. */
export function crossFindings(file: LegibleFile, raw: unknown): readonly Finding[] {
  return [
    ...idlePhases(raw),
    ...timelessPhases(file, raw),
    ...repeatedNames(file),
    ...excessSlots(file),
    ...strangeSubjects(file, raw),
    ...misdirectedKeys(raw),
    ...strangeInstants(file),
    ...cohortsBeyond(file, raw),
  ];
}

const PHASE_KEYS: readonly string[] = ['name', 'duration', 'exclude', ...OPERATIONS];

function idlePhases(raw: unknown): readonly Finding[] {
  return keysOfPhases(raw).flatMap((keys, index) => {
    if (keys === undefined) return [];
    // A load with a misspelt name is that problem alone.
    const isIdle = keys.every((key) => PHASE_KEYS.includes(key)) && !OPERATIONS.some((key) => keys.includes(key));
    const expected = 'at least one load: register, authorize, checkdata or packages';
    return isIdle ? [{ ...on(['phases', index]), expected, found: 'none' }] : [];
  });
}

function timelessPhases({ phases = [] }: LegibleFile, raw: unknown): readonly Finding[] {
  return keysOfPhases(raw).flatMap((keys = [], index) => {
    const isDerived = keys.includes('register') && phases[index]?.register?.kind !== 'concurrency';
    if (keys.includes('duration') || isDerived || !OPERATIONS.some((key) => keys.includes(key))) return [];
    return [{ ...on(['phases', index]), expected: 'a duration', found: 'none' }];
  });
}

/** The names that each phase uses, whatever is behind them; undefined for what is no section. */
function keysOfPhases(raw: unknown): readonly (readonly string[] | undefined)[] {
  const phases = valueAt(raw, ['phases']);
  if (!Array.isArray(phases)) return [];
  return phases.map((phase) => (typeof phase === 'object' && phase !== null ? Object.keys(phase) : undefined));
}

function repeatedNames({ phases = [] }: LegibleFile): readonly Finding[] {
  return phases.flatMap((phase, index): Finding[] => {
    const earlier = phases.findIndex((other) => other?.name === phase?.name);
    if (phase?.name === undefined || earlier === index) return [];
    const expected = 'a name of its own for every phase';
    return [{ ...on(['phases', index, 'name']), expected, found: `${quoted(phase.name)} again` }];
  });
}

function excessSlots({ fleet, phases = [] }: LegibleFile): readonly Finding[] {
  const agents = fleet?.agents ?? Number.POSITIVE_INFINITY;
  return phases.flatMap((phase, index) =>
    OPERATIONS.flatMap((operation): Finding[] => {
      const load = phase?.[operation];
      if (load?.kind !== 'concurrency' || load.slots <= agents) return [];
      const expected = `at most the number of agents (${agents}), as an agent does one thing at a time`;
      return [{ ...on(['phases', index, operation, 'concurrency']), expected, found: `the number ${load.slots}` }];
    }),
  );
}

function phaseNames({ phases = [] }: LegibleFile): readonly string[] {
  return phases.flatMap((phase) => phase?.name ?? []);
}

function strangeSubjects(file: LegibleFile, raw: unknown): readonly Finding[] {
  const names = phaseNames(file);
  const thresholds = valueAt(raw, ['thresholds']);
  if (typeof thresholds !== 'object' || thresholds === null) return [];
  return Object.keys(thresholds).flatMap((key) => {
    const strange = strangeSubject(key, names);
    return strange.length > 0 ? strange : idleSubject(key, file, raw);
  });
}

/** A threshold on an operation that none of its phases plans would never have data. */
function idleSubject(key: string, { phases = [] }: LegibleFile, raw: unknown): readonly Finding[] {
  const { operation = '', phase } = parseSubject(key) ?? {};
  if (!isOperation(operation)) return [];
  const keys = keysOfPhases(raw).map((loads = []) => loads);
  const among = phases.flatMap((other, index) => {
    const counts = phase === undefined ? other?.exclude !== true : other?.name === phase;
    return counts ? [plannedBy(keys[index] ?? [])] : [];
  });
  if (among.length === 0 || among.some((operations) => operations.includes(operation))) return [];
  const where = phase === undefined ? 'a phase that is not excluded' : `the phase ${phase}`;
  const expected = `an operation that ${where} plans, ${oneOf([...new Set(among.flat())])}`;
  return [{ path: ['thresholds', key], focus: 'key', expected, found: quoted(operation), candidates: [] }];
}

/** Agents without a password register when check data is due, and send check data once they are registered. */
function plannedBy(keys: readonly string[]): readonly Operation[] {
  const cycle: readonly Operation[] = ['register', 'checkdata'];
  const isCycle = cycle.some((operation) => keys.includes(operation));
  return OPERATIONS.filter((operation) => keys.includes(operation) || (isCycle && cycle.includes(operation)));
}

function strangeSubject(key: string, phases: readonly string[]): readonly Finding[] {
  if (key === DELIVERY) return [];
  const at = { path: ['thresholds', key], focus: 'key', candidates: [] } as const;
  const subject = parseSubject(key);
  if (subject === undefined) return [{ ...at, expected: 'operation or operation{phase:name}', found: quoted(key) }];
  const { operation, phase } = subject;
  if (operation === DELIVERY)
    return [{ ...at, expected: 'delivery without a phase, as it is of the whole run', found: quoted(key) }];
  const strange: Finding[] = [];
  if (!isOperation(operation))
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

/** What only the embedded server can be told. */
const EMBEDDED_ONLY = ['dialect', 'faults'] as const;

function misdirectedKeys(raw: unknown): readonly Finding[] {
  const url = valueAt(raw, ['target', 'url']);
  if (typeof url !== 'string' || url === 'embedded') return [];
  return EMBEDDED_ONLY.filter((key) => valueAt(raw, ['target', key]) !== undefined).map((key) => ({
    path: ['target', key],
    focus: 'key',
    expected: `${key} only with url: embedded`,
    found: `it with ${quoted(url)}`,
    candidates: [],
  }));
}

/** Instants that count from a phase which does not exist. */
function strangeInstants(file: LegibleFile): readonly Finding[] {
  const phases = phaseNames(file);
  const timed = [
    ...entriesOf(file.target?.faults, ['target', 'faults']),
    ...entriesOf(file.machine?.incidents, ['machine', 'incidents']),
  ];
  return timed.flatMap(({ entry, path }): Finding[] => {
    const phase = entry.at?.phase;
    if (phase === undefined || phases.includes(phase)) return [];
    return [{ ...on([...path, 'at']), expected: INSTANT_FORM, found: quoted(phase), candidates: phases }];
  });
}

/** Cohorts of agents that the fleet does not have. */
function cohortsBeyond({ fleet, machine }: LegibleFile, raw: unknown): readonly Finding[] {
  const agents = fleet?.agents ?? Number.POSITIVE_INFINITY;
  return entriesOf(machine?.incidents, ['machine', 'incidents']).flatMap(({ entry: { cohort }, path }): Finding[] => {
    if (cohort === undefined || !('toAgent' in cohort) || cohort.toAgent <= agents) return [];
    const expected = `agents from 0 to ${agents - 1}, those of this fleet`;
    return [{ ...on([...path, 'cohort']), expected, found: quoted(String(valueAt(raw, [...path, 'cohort']))) }];
  });
}

function entriesOf<Entry>(list: readonly (Entry | undefined)[] | undefined, above: Path) {
  return (list ?? []).flatMap((entry, index) => (entry === undefined ? [] : [{ entry, path: [...above, index] }]));
}

function on(path: Path): Pick<Finding, 'path' | 'focus' | 'candidates'> {
  return { path, focus: 'value', candidates: [] };
}
