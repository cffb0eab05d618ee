import { digitsOf } from '../../base/protocol/exact-json.ts';
import {
  type Cell,
  type CellValues,
  type Chain,
  type Element,
  isSlotted,
  type Node,
  nth,
  type Optional,
  SHARES,
  SLOT,
  type Slotted,
} from './nodes.ts';

/** The content of a document as JavaScript values. 64-bit integers that a number cannot hold are `bigint`. */
export type Plain = string | number | bigint | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

/** The document for a frame as a plain object: the model that the rendered text must equal. */
export function plain(node: Node, frame: CellValues): Plain {
  if (typeof node !== 'object' || node === null) return node;
  const digits = digitsOf(node);
  if (digits !== undefined) return /^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits);
  if (isSlotted(node)) return slotted(node, frame);
  if (Array.isArray(node)) return elements(node, frame);
  const document: Record<string, Plain> = {};
  for (const [key, value] of Object.entries(node as { readonly [key: string]: Node | Optional })) {
    const content = member(value, frame);
    if (content !== undefined) document[key] = content;
  }
  return document;
}

function member(value: Node | Optional, frame: CellValues): Plain | undefined {
  return isSlotted(value) ? elements([value], frame)[0] : plain(value, frame);
}

function elements(list: readonly Element[], frame: CellValues): readonly Plain[] {
  return presentIn(list, frame).map((node) => plain(node, frame));
}

export function presentIn(list: readonly Element[], frame: CellValues): readonly Node[] {
  return list.flatMap((element): readonly Node[] => {
    if (!isSlotted(element)) return [element as Node];
    if (element[SLOT] === 'chain')
      return indicesIn(element, frame).map((index) => formOf(element.elements as readonly Node[], index));
    if (element[SLOT] !== 'optional') return [element as Node];
    return frame[element.cell] === 0 ? [] : [element.node];
  });
}

function indicesIn({ first, next, elements: all }: Chain, frame: CellValues): readonly number[] {
  const indices: number[] = [];
  for (let index = cell(frame, first); index < all.length; index = cell(frame, nth(next, index))) indices.push(index);
  return indices;
}

function slotted(slot: Slotted, frame: CellValues): Plain {
  switch (slot[SLOT]) {
    case 'text':
      return slot.parts.map((part) => (typeof part === 'string' ? part : slotted(part, frame))).join('');
    case 'either':
      return plain(formOf(slot.forms, cell(frame, slot.cell)), frame);
    case 'tenths':
      return cell(frame, slot.cell) / 10;
    case 'share':
      return SHARES[cell(frame, slot.cell)] ?? Number.NaN;
    case 'wide':
      return BigInt(cell(frame, slot.cell)) * 1_000_000_000n + BigInt(cell(frame, slot.lower));
    case 'padded':
      return String(cell(frame, slot.cell)).padStart(slot.width, '0');
    case 'hex':
      return cell(frame, slot.cell).toString(16).padStart(slot.width, '0');
    case 'keyed':
      return Object.fromEntries(
        slot.members.flatMap(({ key, value }) => {
          const content = member(value, frame);
          return content === undefined ? [] : [[slotted(key, frame), content]];
        }),
      );
    case 'word':
      return plain(formOf(slot.words, cell(frame, slot.cell)), frame);
    case 'fraction':
      return fractionText(cell(frame, slot.cell));
    case 'optional':
    case 'chain':
      throw new Error(`a node that is ${slot[SLOT]} is outside a list`);
    default:
      return cell(frame, slot.cell);
  }
}

function fractionText(nanoseconds: number): string {
  return nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`;
}

function formOf(forms: readonly Node[], index: number): Node {
  const form = forms[index];
  if (form === undefined) throw new Error(`a document has ${forms.length} forms, expected one with index ${index}`);
  return form;
}

function cell(frame: CellValues, index: Cell): number {
  const value = frame[index];
  if (value === undefined) throw new Error(`the frame has no cell ${index}`);
  return value;
}
