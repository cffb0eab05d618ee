import { formatDuration } from '../base/kernel/units.ts';
import { type Finding, keyFinding, type Path, quoted, valueFinding } from '../base/notation/finding.ts';
import { INSTANT_FORM, type Instant } from '../base/notation/instant.ts';
import type { PartialList } from '../base/notation/parts.ts';
import { MAX_DURATION_MS } from '../base/notation/quantities.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { OPERATIONS, type Operation } from '../base/protocol/operations.ts';
import { type Phase, timelineEndMs } from '../load/timeline.ts';
import type { FleetFile } from './fleet.ts';
import { meanRate, PHASE_KEYS, type PhaseFile, registrationMs } from './phases.ts';

/** The readable parts of phases and of the fleet that they are checked against. */
export type PartialPhases = { readonly phases?: PartialList<PhaseFile>; readonly fleet?: Partial<FleetFile> };

/** Conflicts of phases with each other and with the fleet. */
export function phaseFindings(file: PartialPhases, raw: unknown): readonly Finding[] {
  return [
    ...idlePhases(raw),
    ...timelessPhases(file, raw),
    ...endlessPhases(file),
    ...repeatedNames(file),
    ...excessSlots(file),
    ...excessRegistrations(file),
    ...tracesBesideLoads(file, raw),
  ];
}

/** A phase without loads is valid if agents listen. */
function idlePhases(raw: unknown): readonly Finding[] {
  if (isListening(raw)) return [];
  return keysOfPhases(raw).flatMap((keys, index) => {
    if (keys === undefined) return [];
    // An excluded phase may be a pause. A misspelled load is only reported as such.
    if (keys.includes('exclude')) return [];
    const isIdle = keys.every((key) => PHASE_KEYS.includes(key)) && !OPERATIONS.some((key) => keys.includes(key));
    const expected = 'at least one load: register, authorize, checkdata or packages';
    return isIdle ? [valueFinding(['phases', index], expected, 'none')] : [];
  });
}

function timelessPhases({ phases = [] }: PartialPhases, raw: unknown): readonly Finding[] {
  return keysOfPhases(raw).flatMap((keys, index) => {
    if (keys === undefined) return [];
    const { register } = phases[index] ?? {};
    const isDerived =
      keys.includes('register') && (register === undefined || 'over' in register || meanRate(register) !== undefined);
    const isPhase = isListening(raw) || OPERATIONS.some((key) => keys.includes(key));
    if (keys.includes('duration') || isDerived || !isPhase) return [];
    return [valueFinding(['phases', index], 'a duration', 'none')];
  });
}

function endlessPhases({ fleet, phases = [] }: PartialPhases): readonly Finding[] {
  return phases.flatMap((phase, index): Finding[] => {
    const { duration, register } = phase ?? {};
    if (duration !== undefined || fleet?.agents === undefined) return [];
    if (meanRate(register) === undefined || registrationMs(register, fleet.agents) <= MAX_DURATION_MS) return [];
    const expected = `a rate at which all ${fleet.agents} agents register within 365d, or a duration of the phase`;
    return [valueFinding(['phases', index, 'register', 'rate'], expected, 'a lower one')];
  });
}

function isListening(raw: unknown): boolean {
  return valueAtPath(raw, ['webServer']) !== undefined;
}

function repeatedNames({ phases = [] }: PartialPhases): readonly Finding[] {
  const seen = new Set<string>();
  return phases.flatMap((phase, index): Finding[] => {
    if (phase?.name === undefined) return [];
    const isNew = !seen.has(phase.name);
    seen.add(phase.name);
    if (isNew) return [];
    const expected = 'a unique name for every phase';
    return [valueFinding(['phases', index, 'name'], expected, `${quoted(phase.name)} again`)];
  });
}

function excessSlots({ fleet, phases = [] }: PartialPhases): readonly Finding[] {
  const agents = fleet?.agents ?? Number.POSITIVE_INFINITY;
  return phases.flatMap((phase, index) =>
    OPERATIONS.flatMap((operation): Finding[] => {
      const load = phase?.[operation];
      if (load === undefined || !('concurrency' in load) || load.concurrency <= agents) return [];
      const expected = `at most the number of agents (${agents}), because each agent does one thing at a time`;
      return [valueFinding(['phases', index, operation, 'concurrency'], expected, `the number ${load.concurrency}`)];
    }),
  );
}

function excessRegistrations({ fleet, phases = [] }: PartialPhases): readonly Finding[] {
  const most = fleet?.agents ?? Number.POSITIVE_INFINITY;
  return phases.flatMap((phase, index): readonly Finding[] => {
    const { agents = 0 } = phase?.register ?? {};
    if (agents <= most) return [];
    return [
      valueFinding(['phases', index, 'register', 'agents'], `at most the agents of the fleet, ${most}`, `${agents}`),
    ];
  });
}

function tracesBesideLoads({ phases = [] }: PartialPhases, raw: unknown): readonly Finding[] {
  return phases.flatMap((phase, index): readonly Finding[] => {
    if (phase?.load === undefined) return [];
    const beside = OPERATIONS.find((operation) => valueAtPath(raw, ['phases', index, operation]) !== undefined);
    const expected = 'a phase with a trace to have no other load, because the trace has all its arrivals';
    return beside === undefined ? [] : [keyFinding(['phases', index, beside], expected, `${beside} beside load`)];
  });
}

export function phaseNames({ phases = [] }: PartialPhases): readonly string[] {
  return phases.flatMap((phase) => phase?.name ?? []);
}

/** Lists the names that a scenario has, for a message about an unknown one. */
export function namesText(names: readonly string[]): string {
  return names.length === 0 ? 'this scenario has none' : `this scenario has ${[...new Set(names)].join(', ')}`;
}

/** The keys of each phase, with valid values or not, and the operations of its trace; `undefined` for an entry that is not a section. */
export function keysOfPhases(raw: unknown): readonly (readonly string[] | undefined)[] {
  const phases = valueAtPath(raw, ['phases']);
  if (!Array.isArray(phases)) return [];
  return phases.map((phase) => {
    if (typeof phase !== 'object' || phase === null) return undefined;
    return 'load' in phase ? [...Object.keys(phase), ...OPERATIONS] : Object.keys(phase);
  });
}

/** Operations that loads lead to. An agent without a password registers when check data is due, and sends check data after that. */
export function plannedBy(keys: readonly string[]): readonly Operation[] {
  const cycle: readonly Operation[] = ['register', 'checkdata'];
  const isCycle = cycle.some((operation) => keys.includes(operation));
  return OPERATIONS.filter((operation) => keys.includes(operation) || (isCycle && cycle.includes(operation)));
}

/** A time relative to an unknown phase. */
export function strangeInstant(
  path: Path,
  instant: Instant | undefined,
  phases: readonly string[],
): readonly Finding[] {
  const phase = instant?.phase;
  if (phase === undefined || phases.includes(phase)) return [];
  return [{ ...valueFinding(path, `${INSTANT_FORM}; ${namesText(phases)}`, quoted(phase)), candidates: phases }];
}

/** A time after the end of the run. */
export function lateInstant(path: Path, atMs: number | undefined, phases: readonly Phase[]): readonly Finding[] {
  const endMs = timelineEndMs(phases);
  if (atMs === undefined || atMs < endMs) return [];
  return [valueFinding(path, `a time before the end of the run at ${formatDuration(endMs)}`, formatDuration(atMs))];
}
