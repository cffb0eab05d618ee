import { cohort } from '../schema/incident.ts';
import { INSTANT_FORM, instant } from '../schema/instant.ts';
import { type Finding, quoted } from './finding.ts';
import { valueAt } from './schema-findings.ts';

/** What only the embedded server can be told. */
const EMBEDDED_ONLY = ['dialect', 'faults'] as const;

/** Asks of another server what only the embedded one does. */
export function misdirectedKeys(raw: unknown): readonly Finding[] {
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

const TIMED = [
  ['target', 'faults'],
  ['machine', 'incidents'],
] as const;

/** Instants that count from a phase which does not exist. */
export function strangeInstants(raw: unknown, phases: readonly string[]): readonly Finding[] {
  return entriesOf(raw, TIMED).flatMap((entry): Finding[] => {
    const path = [...entry, 'at'];
    const phase = instant.safeParse(valueAt(raw, path)).data?.phase;
    if (phase === undefined || phases.includes(phase)) return [];
    return [{ path, focus: 'value', expected: INSTANT_FORM, found: quoted(phase), candidates: phases }];
  });
}

/** Cohorts of agents that the fleet does not have. */
export function cohortsBeyond(raw: unknown, agents: number | undefined): readonly Finding[] {
  if (agents === undefined) return [];
  return entriesOf(raw, [['machine', 'incidents']]).flatMap((entry): Finding[] => {
    const path = [...entry, 'cohort'];
    const read = cohort.safeParse(valueAt(raw, path)).data;
    if (read === undefined || !('toAgent' in read) || read.toAgent <= agents) return [];
    const expected = `agents from 0 to ${agents - 1}, those of this fleet`;
    return [{ path, focus: 'value', expected, found: quoted(String(valueAt(raw, path))), candidates: [] }];
  });
}

/** The paths of all entries of these lists. */
function entriesOf(raw: unknown, lists: readonly (readonly string[])[]): readonly Finding['path'][] {
  return lists.flatMap((list) => {
    const entries = valueAt(raw, list);
    return Array.isArray(entries) ? entries.map((_, index) => [...list, index]) : [];
  });
}
