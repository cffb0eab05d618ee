import { longest } from './longest.ts';
import {
  type Either,
  isSlotted,
  type Keyed,
  type Node,
  type NumberSlot,
  type Optional,
  SLOT,
  type Text,
  type TextSlot,
} from './nodes.ts';
import { createPieces, type Pieces, WORD_BYTES } from './pieces.ts';
import { quoted } from './quoted.ts';

/**
 * A document as instructions over pieces of fixed text. Each instruction is one of the opcodes below, followed by its
 * operands; `render.ts` executes them.
 */
export type Program = {
  readonly pieces: Pieces;
  readonly code: Int32Array;
};

/**
 * Every instruction begins with the opcode and the fixed text before its value, because fixed text and values nearly
 * always alternate: its place and its length, which is negative for a long piece. What follows is named here.
 */
export const OP = {
  /** nothing: only the fixed text */
  fixed: 0,
  /** cell */
  integer: 1,
  /** cell */
  float: 2,
  /** cell */
  share: 3,
  /** cell of the upper part, cell of the lower */
  wide: 4,
  /** cell, width */
  padded: 5,
  /** cell */
  fraction: 6,
  /** cell, count, then one address per form: goes on there */
  choose: 7,
  /** address */
  jump: 8,
  /** cell, address: goes on there while the cell holds 0 */
  unless: 9,
  /** a comma, except right after an opening bracket */
  comma: 10,
  /** cell */
  tenths: 11,
  /** cell, width */
  hex: 12,
} as const;

export function compile(node: Node): Program {
  const assembler = createAssembler();
  emit(assembler, node);
  return assembler.finish();
}

/** No rendering of a node is longer, what it may leave behind its end included. */
export function roomFor(node: Node): number {
  return longest(node) + WORD_BYTES;
}

type Assembler = {
  readonly fixed: (text: string) => void;
  readonly op: (opcode: number, ...operands: number[]) => void;
  /** Address of the next instruction. */
  readonly here: () => number;
  readonly patch: (place: number, word: number) => void;
  readonly finish: () => Program;
};

function createAssembler(): Assembler {
  const code: number[] = [];
  const pieces = createPieces();
  let pending = '';
  const piece = () => {
    const { place, size } = pieces.place(pending);
    pending = '';
    code.push(place, size);
  };
  const flush = () => {
    if (pending === '') return;
    code.push(OP.fixed);
    piece();
  };
  return {
    fixed: (text) => {
      pending += text;
    },
    op(opcode, ...operands) {
      code.push(opcode);
      piece();
      code.push(...operands);
    },
    here() {
      flush();
      return code.length;
    },
    patch: (place, word) => {
      code[place] = word;
    },
    finish() {
      flush();
      return { pieces: pieces.finish(), code: Int32Array.from(code) };
    },
  };
}

function emit(to: Assembler, node: Node): void {
  if (typeof node === 'string') to.fixed(quoted(node).json);
  else if (typeof node !== 'object' || node === null) to.fixed(JSON.stringify(node));
  else if (isSlotted(node)) emitSlotted(to, node);
  else if (Array.isArray(node)) emitList(to, node);
  else emitObject(to, node as { readonly [key: string]: Node });
}

function emitSlotted(to: Assembler, node: NumberSlot | Text | Either | Optional | Keyed): void {
  if (node[SLOT] === 'optional') throw new Error('an optional node stands outside a list');
  if (node[SLOT] === 'either') emitEither(to, node);
  else if (node[SLOT] === 'text') emitText(to, node);
  else if (node[SLOT] === 'keyed') emitKeyed(to, node);
  else emitSlot(to, node);
}

function emitText(to: Assembler, { parts }: Text): void {
  to.fixed('"');
  for (const part of parts) {
    if (typeof part === 'string') to.fixed(quoted(part).json.slice(1, -1));
    else emitSlot(to, part);
  }
  to.fixed('"');
}

function emitSlot(to: Assembler, slot: NumberSlot | TextSlot): void {
  const kind = slot[SLOT];
  if (kind === 'padded' || kind === 'hex') to.op(OP[kind], slot.cell, slot.width);
  else if (kind === 'wide') to.op(OP.wide, slot.cell, slot.lower);
  else to.op(OP[kind], slot.cell);
}

function emitEither(to: Assembler, node: Either): void {
  to.op(OP.choose, node.cell, node.forms.length, ...node.forms.map(() => 0));
  const addresses = to.here() - node.forms.length;
  const exits = node.forms.map((form, index) => {
    to.patch(addresses + index, to.here());
    emit(to, form);
    to.op(OP.jump, 0);
    return to.here() - 1;
  });
  for (const exit of exits) to.patch(exit, to.here());
}

function emitList(to: Assembler, elements: readonly (Node | Optional)[]): void {
  to.fixed('[');
  // Once an element is certain to stand there, the commas after it are certain too.
  let certain = false;
  for (const [index, element] of elements.entries()) {
    if (isOptional(element)) {
      emitOptional(to, element, certain);
      continue;
    }
    if (certain) to.fixed(',');
    else if (index > 0) to.op(OP.comma);
    emit(to, element);
    certain = true;
  }
  to.fixed(']');
}

function emitOptional(to: Assembler, { cell, node }: Optional, certain: boolean): void {
  to.op(OP.unless, cell, 0);
  const place = to.here() - 1;
  if (certain) to.fixed(',');
  else to.op(OP.comma);
  emit(to, node);
  to.patch(place, to.here());
}

function emitObject(to: Assembler, members: { readonly [key: string]: Node }): void {
  Object.entries(members).forEach(([key, value], index) => {
    to.fixed(`${index === 0 ? '{' : ','}${quoted(key).json}:`);
    emit(to, value);
  });
  to.fixed(Object.keys(members).length === 0 ? '{}' : '}');
}

function emitKeyed(to: Assembler, { members }: Keyed): void {
  members.forEach(({ key, value }, index) => {
    to.fixed(index === 0 ? '{' : ',');
    emitText(to, key);
    to.fixed(':');
    emit(to, value);
  });
  to.fixed(members.length === 0 ? '{}' : '}');
}

function isOptional(element: Node | Optional): element is Optional {
  return isSlotted(element) && element[SLOT] === 'optional';
}
