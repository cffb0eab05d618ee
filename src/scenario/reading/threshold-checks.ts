import { oneOf } from '../../notation/expectations.ts';
import { type Finding, quoted } from '../../notation/finding.ts';
import { valueAt } from '../../notation/schema-findings.ts';
import { isOperation, OPERATIONS } from '../../protocol/operations.ts';
import { DELIVERY, parseSubject } from '../schema/threshold.ts';
import { keysOfPhases, type LegibleFile, phaseNames, plannedBy } from './legible-file.ts';

/** Thresholds on what does not exist, or on what nothing plans. */
export function thresholdFindings(file: LegibleFile, raw: unknown): readonly Finding[] {
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
