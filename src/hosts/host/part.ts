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

/** An object whose members are parts, in alphabetical order: the agent's encoder sorts the keys of a map. */
export function sortedMembers(parts: Readonly<Record<string, Part>>): Part {
  const members = Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1));
  const node = Object.fromEntries(members.map(([key, part]) => [key, part.node]));
  return { node, fill: inTurn(members.map(([, part]) => part.fill)) };
}

export function inTurn(fills: readonly Fill[]): Fill {
  return (frame, host) => {
    for (let i = 0; i < fills.length; i++) (fills[i] as Fill)(frame, host);
  };
}
