import type { z } from 'zod';
import {
  candidatesIn,
  describeValue,
  type Finding,
  KEY_FORM,
  keyFinding,
  type Path,
  quoted,
  SECTION,
  slipIn,
} from './finding.ts';

type Issue = z.core.$ZodIssue;

/** Converts a schema's issues to findings. Every message of the schema must state the expectation. */
export function schemaFindings(issues: readonly Issue[], raw: unknown): readonly Finding[] {
  return issues.filter((issue) => !isPremature(issue, issues)).flatMap((issue) => findingsOf(issue, raw, []));
}

// A rule about a whole section does not apply while a part of the section is unreadable.
function isPremature(issue: Issue, issues: readonly Issue[]): boolean {
  if (issue.code !== 'custom') return false;
  const isAtOrBelow = (other: Issue) => issue.path.every((key, depth) => other.path[depth] === key);
  const isPart = (other: Issue) => other.path.length > issue.path.length || other.code === 'unrecognized_keys';
  return issues.some((other) => isAtOrBelow(other) && isPart(other));
}

function findingsOf(issue: Issue, raw: unknown, above: Path): readonly Finding[] {
  const path = [...above, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
  const expected = issue.message;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => strangeKey([...path, key], expected));
  if (issue.code === 'invalid_key') return [strangeKey(path, expected)];
  const branch = issue.code === 'invalid_union' ? intendedBranch(issue.errors) : undefined;
  if (branch !== undefined) return branch.flatMap((inner) => findingsOf(inner, raw, path));
  const found = issue.code === 'custom' ? issue.params?.found : undefined;
  const candidates = (issue.code === 'custom' && issue.params?.candidates) || candidatesIn(expected);
  const value = valueAtPath(raw, path);
  // YAML reads a one-line section without a colon, or without the space after it, as a string.
  const slip = expected.startsWith(SECTION) && typeof value === 'string' ? slipIn(value) : undefined;
  const offset = issue.code === 'custom' ? issue.params?.offset : undefined;
  return [
    {
      path,
      focus: 'value',
      expected,
      found: found ?? slip?.found ?? foundValue(value, expected),
      candidates,
      ...(offset !== undefined && { offset }),
    },
  ];
}

/** The expectation in a message of a schema, or of zod if the schema states none of its own. */
export function expectationIn(message: string): string {
  return message
    .replace(/^((Invalid (input|option)|Too (small|big)): )?expected /, '')
    .replace(/^Invalid input: /, '')
    .replace(/^Invalid (ISO )?/, 'a valid $1')
    .replace(/^Unrecognized keys?: (.*)$/, 'no member $1')
    .replace(/, received .*$/, '');
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Describes what was found; for a number without a unit or in quotes, it also says what to fix. */
function foundValue(value: unknown, expected: string): string {
  const found = describeValue(value);
  const isNumber = typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value));
  if (isNumber && /^a (duration|rate) /.test(expected)) return `${found} without a unit`;
  if (isNumber && typeof value === 'string' && /^a (whole )?number /.test(expected))
    return `the string ${found}; remove the quotes`;
  return found;
}

function strangeKey(path: Path, expected: string): Finding {
  const slip = slipIn(String(path.at(-1)));
  if (slip !== undefined) return keyFinding(path, KEY_FORM, slip.found);
  return { path, focus: 'key', expected, found: quoted(String(path.at(-1))), candidates: candidatesIn(expected) };
}

// The alternative that fits best. Its own issues tell the user more than the message that no alternative fits.
function intendedBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const isOfOtherShape = (issue: Issue) =>
    issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
  const fitting = branches.filter((branch) => branch.length > 0 && !branch.some(isOfOtherShape));
  return fitting.sort((a, b) => a.length - b.length)[0];
}

/** The value at a path of plain data; `undefined` if the path does not exist. */
export function valueAtPath(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    raw,
  );
}
