import { type Finding, quoted } from './finding.ts';
import { MARK_FORM, mark } from './mark.ts';
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

/** Instants that count from a phase which does not exist. */
export function strangeMarks(raw: unknown, phases: readonly string[]): readonly Finding[] {
  const entries = valueAt(raw, ['target', 'faults']);
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((_, index): Finding[] => {
    const path = ['target', 'faults', index, 'at'];
    const phase = mark.safeParse(valueAt(raw, path)).data?.phase;
    if (phase === undefined || phases.includes(phase)) return [];
    return [{ path, focus: 'value', expected: MARK_FORM, found: quoted(phase), candidates: phases }];
  });
}
