import { quote } from './go-json.ts';
import {
  type Either,
  isSlotted,
  type Node,
  type NumberSlot,
  type Optional,
  SLOT,
  type Text,
  type TextSlot,
} from './nodes.ts';

/**
 * A document as instructions over one block of fixed text. Each instruction is a whole number of the opcode below,
 * followed by its operands; `render.ts` executes them.
 */
export type Program = {
  readonly fixed: Buffer;
  readonly code: Int32Array;
  /** No rendering is longer. */
  readonly maxBytes: number;
};

export const OP = {
  /** from, to: copies a stretch of the fixed text. */
  copy: 0,
  /** cell */
  integer: 1,
  /** cell */
  float: 2,
  /** cell */
  share: 3,
  /** cell: of the upper part, the lower stands in the next */
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
} as const;

/** No number is written with more characters than this. */
const NUMBER_BYTES = 25;

export function compile(node: Node): Program {
  const assembler = createAssembler();
  emit(assembler, node);
  return assembler.finish();
}

type Assembler = {
  readonly fixed: (text: string) => void;
  readonly op: (...words: number[]) => void;
  /** Address of the next instruction. */
  readonly here: () => number;
  readonly patch: (place: number, word: number) => void;
  readonly finish: () => Program;
};

function createAssembler(): Assembler {
  const code: number[] = [];
  const texts: string[] = [];
  let pending = '';
  let fixedBytes = 0;
  let numbers = 0;
  const flush = () => {
    if (pending === '') return;
    const size = Buffer.byteLength(pending);
    code.push(OP.copy, fixedBytes, fixedBytes + size);
    texts.push(pending);
    fixedBytes += size;
    pending = '';
  };
  return {
    fixed: (text) => {
      pending += text;
    },
    op(...words) {
      flush();
      numbers++;
      for (const word of words) code.push(word);
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
      const maxBytes = fixedBytes + numbers * NUMBER_BYTES;
      return { fixed: Buffer.from(texts.join('')), code: Int32Array.from(code), maxBytes };
    },
  };
}

function emit(to: Assembler, node: Node): void {
  if (typeof node === 'string') to.fixed(quote(node));
  else if (typeof node !== 'object' || node === null) to.fixed(JSON.stringify(node));
  else if (isSlotted(node)) emitSlotted(to, node);
  else if (Array.isArray(node)) emitList(to, node);
  else emitObject(to, node as { readonly [key: string]: Node });
}

function emitSlotted(to: Assembler, node: NumberSlot | Text | Either | Optional): void {
  if (node[SLOT] === 'optional') throw new Error('an optional node stands outside a list');
  if (node[SLOT] === 'either') emitEither(to, node);
  else if (node[SLOT] === 'text') emitText(to, node);
  else emitSlot(to, node);
}

function emitText(to: Assembler, { parts }: Text): void {
  to.fixed('"');
  for (const part of parts) {
    if (typeof part === 'string') to.fixed(quote(part).slice(1, -1));
    else emitSlot(to, part);
  }
  to.fixed('"');
}

function emitSlot(to: Assembler, slot: NumberSlot | TextSlot): void {
  const kind = slot[SLOT];
  if (kind === 'padded') to.op(OP.padded, slot.cell, slot.width);
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
      emitOptional(to, element);
      continue;
    }
    if (certain) to.fixed(',');
    else if (index > 0) to.op(OP.comma);
    emit(to, element);
    certain = true;
  }
  to.fixed(']');
}

function emitOptional(to: Assembler, { cell, node }: Optional): void {
  to.op(OP.unless, cell, 0);
  const place = to.here() - 1;
  to.op(OP.comma);
  emit(to, node);
  to.patch(place, to.here());
}

function emitObject(to: Assembler, members: { readonly [key: string]: Node }): void {
  Object.entries(members).forEach(([key, value], index) => {
    to.fixed(`${index === 0 ? '{' : ','}${quote(key)}:`);
    emit(to, value);
  });
  to.fixed(Object.keys(members).length === 0 ? '{}' : '}');
}

function isOptional(element: Node | Optional): element is Optional {
  return isSlotted(element) && element[SLOT] === 'optional';
}
