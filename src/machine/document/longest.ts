import { isSlotted, type Node, type Optional, SLOT, type Slotted } from './nodes.ts';
import { quoted } from './quoted.ts';

/** No number is written with more characters than this. */
const NUMBER_BYTES = 25;

/** A length in bytes that no rendering of a node exceeds: of several forms, the longest counts. */
export function longest(node: Node | Optional): number {
  if (typeof node === 'string') return quoted(node).bytes;
  if (typeof node !== 'object' || node === null) return String(node).length;
  if (isSlotted(node)) return longestSlotted(node);
  if (Array.isArray(node)) return sum(node.map((element) => 1 + longest(element))) + 2;
  const members = Object.entries(node as { readonly [key: string]: Node });
  return 2 + sum(members.map(([key, value]) => quoted(key).bytes + 2 + longest(value)));
}

function longestSlotted(slot: Slotted): number {
  switch (slot[SLOT]) {
    case 'text':
      return 2 + sum(slot.parts.map((part) => (typeof part === 'string' ? longest(part) : longestSlotted(part))));
    case 'either':
      return Math.max(0, ...slot.forms.map(longest));
    case 'optional':
      return longest(slot.node);
    case 'keyed':
      return 2 + sum(slot.members.map(({ key, value }) => longest(key) + 2 + longest(value)));
    default:
      return NUMBER_BYTES;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
