import { type JsonRules, jsonInput, parseBounded } from '../protocol/json.ts';

/** What is wrong with a body; undefined: nothing. */
type JsonFault = string | undefined;

const RULES: JsonRules = { mostNesting: 16, mendsText: false, foldsNames: false };

/** Room for many times what an event has to say. */
const MOST_VALUES = 1000;

/** Holds a body to JSON that everybody reads alike: UTF-8, shallow, small, and each name in an object once. */
export function jsonFault(bytes: Buffer): JsonFault {
  const input = { ...jsonInput(bytes, RULES), left: MOST_VALUES };
  const read = parseBounded(input);
  if (read === undefined)
    return `The body: expected JSON of at most ${MOST_VALUES} values, ${RULES.mostNesting} deep, found something else.`;
  // Of names that come again, only the last one is there.
  if (countOf(read.value) === MOST_VALUES - input.left) return undefined;
  return 'The body: expected each name in an object once, found a duplicate.';
}

/** Elements and members, of all containers. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part: unknown) => sum + 1 + countOf(part), 0);
}
