import { type JsonRules, jsonInput, parseBounded } from '../../ground/protocol/json.ts';

/** The error in a body; `undefined` if it is valid. */
type JsonFault = string | undefined;

const RULES: JsonRules = { mostNesting: 16, mendsText: false, foldsNames: false };

/** Many times more than an event needs. */
const MOST_VALUES = 1000;

/** Requires JSON that all parsers read alike: UTF-8, shallow, small, and without duplicate names in an object. */
export function jsonFault(bytes: Buffer): JsonFault {
  const input = { ...jsonInput(bytes, RULES), left: MOST_VALUES };
  const read = parseBounded(input);
  if (read === undefined)
    return `The body: expected JSON with at most ${MOST_VALUES} values and ${RULES.mostNesting} levels of nesting, found something else.`;
  // Parsing keeps only the last of several equal names.
  if (countOf(read.value) === MOST_VALUES - input.left) return undefined;
  return 'The body: expected each name in an object once, found a duplicate.';
}

/** Number of elements and members in all containers; an empty container counts as one, as in the walk. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: readonly unknown[] = Object.values(value);
  return parts.reduce((sum: number, part) => sum + countOf(part), Math.max(1, parts.length));
}
