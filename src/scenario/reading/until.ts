import { UserError } from '../../kernel/errors.ts';
import type { Threshold } from '../../metrics/judging/thresholds.ts';
import { oneOf } from '../../notation/expectations.ts';
import { complaintText, quoted, suggestionFor } from '../../notation/finding.ts';
import { isMeasuredOperation, MEASURED_OPERATIONS } from '../../protocol/operations.ts';
import {
  DELIVERY,
  type Misreading,
  parseCondition,
  parseDeliveryCondition,
  parseSubject,
} from '../schema/threshold.ts';

/** What a condition is about stands in front of it; of the other parts, only statistics are followed by a comparator. */
const CLAUSE = /^(?:([^\s{}()<>=]+(?:\s*\{[^}]*\})?)\s+(?=[A-Za-z]))?(.*)$/s;

/**
 * Reads `checkdata p(99) < 500ms and error_rate < 1%`: conditions as in thresholds, each about the operation in front of
 * it or of one before. Throws a `UserError` for anything else.
 */
export function readUntil(text: string): readonly Threshold[] {
  let about: string | undefined;
  return text
    .trim()
    .split(/\s+and\s+/)
    .map((clause) => {
      const [, subject, condition = ''] = CLAUSE.exec(clause) ?? [];
      about = subject ?? about;
      return thresholdOf(about, condition, clause);
    });
}

function thresholdOf(about: string | undefined, condition: string, clause: string): Threshold {
  if (about === undefined) {
    throw misread({
      expected: 'an operation before the first condition, such as checkdata p(99) < 500ms',
      found: quoted(clause),
    });
  }
  if (about === DELIVERY) return understood(parseDeliveryCondition(condition));
  const { operation = about, phase } = parseSubject(about) ?? {};
  if (isMeasuredOperation(operation)) return { operation, phase, ...understood(parseCondition(condition)) };
  const candidates = [...MEASURED_OPERATIONS, DELIVERY];
  throw misread({
    expected: `an operation, ${oneOf(MEASURED_OPERATIONS)}, or delivery`,
    found: quoted(operation),
    candidates,
  });
}

function understood<Read extends object>(read: Read | Misreading): Read {
  if ('expected' in read) throw misread(read);
  return read;
}

function misread({ expected, found, candidates = [] }: Misreading): UserError {
  const suggestion = suggestionFor({ path: [], focus: 'value', expected, found, candidates });
  return new UserError(complaintText({ path: '--until', expected, found, suggestion }));
}
