import type { Cells, CellValues, Node } from '../document/nodes.ts';
import type { HostState } from './host-state.ts';

/** A piece of a document with the function that fills its slots. A check is a part, and so is a whole document. */
export type Part = { readonly node: Node; readonly fill: Fill };
export type Fill = (frame: CellValues, host: HostState) => void;

/** Describes a part and allocates the cells it needs. */
export type PartOf<Input> = (input: Input, cells: Cells) => Part;

export function fixedPart(node: Node): Part {
  return { node, fill: () => {} };
}

/** In alphabetical order, because the agent's encoder sorts the keys of a map. */
export function sortedMembers<Value>(members: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An object whose members are parts; the first fills are for what these read. */
export function membersAfter(first: readonly Fill[], parts: Readonly<Record<string, Part>>): Part {
  const members = Object.entries(sortedMembers(parts));
  const node = Object.fromEntries(members.map(([key, part]) => [key, part.node]));
  return { node, fill: inTurn([...first, ...members.map(([, part]) => part.fill)]) };
}

export function inTurn(fills: readonly Fill[]): Fill {
  return (frame, host) => {
    for (let i = 0; i < fills.length; i++) (fills[i] as Fill)(frame, host);
  };
}
