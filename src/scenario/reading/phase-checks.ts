import { type Finding, quoted } from '../../notation/finding.ts';
import { valueAt } from '../../notation/schema-findings.ts';
import { OPERATIONS } from '../../protocol/operations.ts';
import { keysOfPhases, type LegibleFile, on } from './legible-file.ts';

/** What is wrong with phases beside each other and beside the fleet. */
export function phaseFindings(file: LegibleFile, raw: unknown): readonly Finding[] {
  return [...idlePhases(raw), ...timelessPhases(file, raw), ...repeatedNames(file), ...excessSlots(file)];
}

const PHASE_KEYS: readonly string[] = ['name', 'duration', 'exclude', ...OPERATIONS];

/** Agents that listen have something to do in every phase. */
function idlePhases(raw: unknown): readonly Finding[] {
  if (isListening(raw)) return [];
  return keysOfPhases(raw).flatMap((keys, index) => {
    if (keys === undefined) return [];
    // A load with a misspelt name is that problem alone.
    const isIdle = keys.every((key) => PHASE_KEYS.includes(key)) && !OPERATIONS.some((key) => keys.includes(key));
    const expected = 'at least one load: register, authorize, checkdata or packages';
    return isIdle ? [{ ...on(['phases', index]), expected, found: 'none' }] : [];
  });
}

function timelessPhases({ phases = [] }: LegibleFile, raw: unknown): readonly Finding[] {
  return keysOfPhases(raw).flatMap((keys, index) => {
    if (keys === undefined) return [];
    const isDerived = keys.includes('register') && phases[index]?.register?.kind !== 'concurrency';
    const isPhase = isListening(raw) || OPERATIONS.some((key) => keys.includes(key));
    if (keys.includes('duration') || isDerived || !isPhase) return [];
    return [{ ...on(['phases', index]), expected: 'a duration', found: 'none' }];
  });
}

function isListening(raw: unknown): boolean {
  return valueAt(raw, ['webServer']) !== undefined;
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
