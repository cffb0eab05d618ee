import { UserError } from '../base/kernel/errors.ts';
import { complaintText, oneOfText, quoted, suggestionFor } from '../base/notation/finding.ts';
import { isMeasuredOperation, MEASURED_OPERATIONS } from '../base/protocol/operations.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import { type Mistake, parseCondition, parseSubject, type Subject } from './conditions.ts';

/** Conditions that a capacity search can use. */
type LoadThreshold = Threshold<'operation' | 'delivery' | 'listeners'>;

/** An optional subject, then a condition. The lookahead tells them apart: only a statistic has a comparator after it. */
const CLAUSE = /^(?:([^\s{}()<>=]+(?:\s*\{[^}]*\})?)\s+(?=[A-Za-z]))?(.*)$/s;

/**
 * Parses `checkdata p(99) < 500ms and error_rate < 1%`: conditions as in thresholds. A condition without an operation applies to
 * that of the previous one.
 * @throws UserError if the text has another form
 */
export function readUntil(text: string): readonly LoadThreshold[] {
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

function thresholdOf(about: string | undefined, condition: string, clause: string): LoadThreshold {
  if (about === undefined) {
    throw mistakeError({
      expected: 'an operation before the first condition, such as checkdata p(99) < 500ms',
      found: quoted(clause),
    });
  }
  const subject = parseSubject(about);
  const { kind, name, phase, ...parts }: Subject = 'expected' in subject ? { kind: 'operation', name: about } : subject;
  if (Object.keys(parts).length > 0 && kind === 'operation')
    throw mistakeError({ expected: 'an operation or operation{phase:name}', found: quoted(about) });
  if (kind === 'delivery' || kind === 'listeners') return parsedOrThrow(parseCondition(kind, condition));
  if (isMeasuredOperation(name))
    return { operation: name, phase, ...parsedOrThrow(parseCondition('operation', condition)) };
  const candidates = [...MEASURED_OPERATIONS, 'delivery', 'listeners'];
  throw mistakeError({
    expected: `an operation, ${oneOfText(MEASURED_OPERATIONS)}, delivery or listeners`,
    found: quoted(kind === 'operation' ? name : about),
    candidates,
  });
}

function parsedOrThrow<Read extends object>(read: Read | Mistake): Read {
  if ('expected' in read) throw mistakeError(read);
  return read;
}

function mistakeError({ expected, found, candidates = [] }: Mistake): UserError {
  const suggestion = suggestionFor({ path: [], focus: 'value', expected, found, candidates });
  return new UserError(complaintText({ path: '--until', expected, found, suggestion }));
}
