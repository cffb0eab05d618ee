import { membersOf } from '../../base/protocol/exact-json.ts';
import { quote } from '../../base/protocol/go.ts';
import {
  type Cell,
  type Chain,
  type Either,
  type Element,
  isSlotted,
  type Keyed,
  type Node,
  type NumberSlot,
  nth,
  type Optional,
  SLOT,
  type Text,
  type TextSlot,
} from './nodes.ts';
import * as OP from './opcodes.ts';

/**
 * A document as instructions, each with the fixed text before its value, because the two nearly always alternate.
 * `assembly/render.ts` reads them once, from the first byte to the last.
 */
export type Program = {
  readonly image: Uint8Array;
  /** Upper limit for the length of a rendering. */
  readonly maxBytes: number;
};

export function compile(node: Node): Program {
  const assembler = createAssembler();
  emit(assembler, node);
  return { image: assembler.finish(), maxBytes: assembler.maxBytes };
}

/** `a` and `b` are operands, see `opcodes.ts`. Until all instructions are known, an address is the index of an instruction. */
type Instruction = {
  readonly opcode: number;
  readonly text: string;
  readonly textBytes: number;
  a: number;
  b: number;
  addresses: readonly number[];
};

type Assembler = {
  /** Upper limit for the bytes that the instructions so far write. Of several forms, the longest counts. */
  maxBytes: number;
  readonly fixed: (text: string) => void;
  /** Appends an instruction. The caller sets addresses that are not known yet. */
  readonly op: (opcode: number, a?: number, b?: number) => Instruction;
  readonly word: (cell: Cell, words: readonly string[]) => void;
  /** Address of the next instruction. */
  readonly here: () => number;
  readonly finish: () => Uint8Array;
};

const OPCODES = {
  integer: OP.INTEGER,
  float: OP.FLOAT,
  tenths: OP.TENTHS,
  share: OP.SHARE,
  wide: OP.WIDE,
  padded: OP.PADDED,
  hex: OP.HEX,
  fraction: OP.FRACTION,
} as const;

const NUMBER_BYTES = 25;
/** Upper limit for the bytes that an instruction writes after its text. */
const VALUE_BYTES: Readonly<Record<number, number>> = {
  ...Object.fromEntries(Object.values(OPCODES).map((opcode) => [opcode, NUMBER_BYTES])),
  [OP.COMMA]: 1,
};

function createAssembler(): Assembler {
  const instructions: Instruction[] = [];
  // Dozens of texts name the same person, so words are kept once per program, after its end.
  const tables = new Map<readonly string[], number[]>();
  let pending = '';
  const op = (opcode: number, a = 0, b = 0) => {
    const textBytes = Buffer.byteLength(pending);
    const instruction: Instruction = { opcode, text: pending, textBytes, a, b, addresses: [] };
    pending = '';
    instructions.push(instruction);
    assembler.maxBytes += textBytes + (VALUE_BYTES[opcode] ?? 0);
    return instruction;
  };
  const assembler: Assembler = {
    maxBytes: 0,
    fixed: (text) => {
      pending += text;
    },
    op,
    word(cell, words) {
      const addresses = tables.get(words) ?? [];
      tables.set(words, addresses);
      op(OP.WORD, cellBytes(cell)).addresses = addresses;
      assembler.maxBytes += Math.max(0, ...words.map((word) => Buffer.byteLength(quoted(word))));
    },
    here() {
      if (pending !== '') op(OP.FIXED);
      return instructions.length;
    },
    finish() {
      op(OP.END);
      for (const [words, addresses] of tables) {
        for (const word of words) {
          addresses.push(instructions.length);
          pending = quoted(word);
          op(OP.FIXED);
        }
      }
      return imageOf(instructions);
    },
  };
  return assembler;
}

function imageOf(instructions: readonly Instruction[]): Uint8Array {
  let size = 0;
  // Instructions may share a list. That of `CHOOSE` follows the first of them, that of `WORD` the program.
  const lists = new Map<readonly number[], number>();
  const addList = (addresses: readonly number[]) => {
    if (lists.has(addresses)) return;
    lists.set(addresses, size);
    size += OP.wholeBlocks(4 * addresses.length);
  };
  const offsets = instructions.map(({ opcode, textBytes, addresses }) => {
    const offset = size;
    size += OP.HEADER_BYTES + OP.wholeBlocks(textBytes);
    if (opcode === OP.CHOOSE) addList(addresses);
    return offset;
  });
  for (const { opcode, addresses } of instructions) if (opcode === OP.WORD) addList(addresses);
  const at = (address: number) => offsets[address] as number;
  const image = Buffer.alloc(size);
  instructions.forEach(({ opcode, text, textBytes, a, b, addresses }, index) => {
    const header = at(index);
    image.write(text, header + OP.HEADER_BYTES);
    image.writeInt32LE(opcode, header);
    image.writeInt32LE(textBytes, header + 4);
    image.writeInt32LE(opcode === OP.JUMP ? at(a) : a, header + 8);
    const list = lists.get(addresses);
    image.writeInt32LE(list ?? (opcode === OP.UNLESS ? at(b) : b), header + 12);
  });
  for (const [addresses, list] of lists) {
    for (const [index, address] of addresses.entries()) image.writeInt32LE(at(address), list + 4 * index);
  }
  return image;
}

function emit(to: Assembler, node: Node): void {
  if (typeof node === 'string') to.fixed(quote(node));
  else if (typeof node !== 'object' || node === null || JSON.isRawJSON(node)) to.fixed(JSON.stringify(node));
  else if (isSlotted(node)) emitSlotted(to, node);
  else if (Array.isArray(node)) emitList(to, node);
  else emitObject(to, membersOf(node as { readonly [key: string]: Node | Optional }));
}

function emitSlotted(to: Assembler, node: NumberSlot | Text | Either | Optional | Chain | Keyed): void {
  if (node[SLOT] === 'either') emitEither(to, node);
  else if (node[SLOT] === 'text') emitText(to, node);
  else if (node[SLOT] === 'keyed')
    emitObject(
      to,
      node.members.map(({ key, value }) => [key, value]),
    );
  else if (node[SLOT] === 'optional' || node[SLOT] === 'chain')
    throw new Error(`a node that is ${node[SLOT]} is outside a list`);
  else emitSlot(to, node);
}

function emitText(to: Assembler, { parts }: Text): void {
  to.fixed('"');
  for (const part of parts) {
    if (typeof part === 'string') to.fixed(quoted(part));
    else if (part[SLOT] === 'word') to.word(part.cell, part.words);
    else emitSlot(to, part);
  }
  to.fixed('"');
}

/** As inside a string. */
function quoted(text: string): string {
  return quote(text).slice(1, -1);
}

function emitSlot(to: Assembler, slot: NumberSlot | Exclude<TextSlot, { readonly [SLOT]: 'word' }>): void {
  const kind = slot[SLOT];
  const cell = cellBytes(slot.cell);
  if (kind === 'padded' || kind === 'hex') to.op(OPCODES[kind], cell, slot.width);
  else if (kind === 'wide') to.op(OP.WIDE, cell, cellBytes(slot.lower));
  else to.op(OPCODES[kind], cell);
}

function cellBytes(cell: number): number {
  return cell * Float64Array.BYTES_PER_ELEMENT;
}

function emitEither(to: Assembler, { cell, forms }: Either): void {
  const choose = to.op(OP.CHOOSE, cellBytes(cell));
  const addresses: number[] = [];
  const startBytes = to.maxBytes;
  let endBytes = startBytes;
  const jumps = forms.map((form) => {
    to.maxBytes = startBytes;
    addresses.push(to.here());
    emit(to, form);
    const jump = to.op(OP.JUMP);
    endBytes = Math.max(endBytes, to.maxBytes);
    return jump;
  });
  to.maxBytes = endBytes;
  choose.addresses = addresses;
  for (const jump of jumps) jump.a = to.here();
}

function emitList(to: Assembler, elements: readonly Element[]): void {
  to.fixed('[');
  // After an element that is always present, the commas are fixed text.
  let certain = false;
  for (const [index, element] of elements.entries()) {
    if (isSlotted(element) && element[SLOT] === 'optional') emitOptional(to, element, certain);
    else if (isSlotted(element) && element[SLOT] === 'chain') emitChain(to, element, certain);
    else {
      if (certain) to.fixed(',');
      else if (index > 0) to.op(OP.COMMA);
      emit(to, element as Node);
      certain = true;
    }
  }
  to.fixed(']');
}

/** After each element, its `next` selects the next one. All selections use one list. */
function emitChain(to: Assembler, { first, next, elements }: Chain, certain: boolean): void {
  const addresses: number[] = [];
  const choose = (cell: Cell) => {
    to.op(OP.CHOOSE, cellBytes(cell)).addresses = addresses;
  };
  choose(first);
  for (const [index, element] of elements.entries()) {
    addresses.push(to.here());
    if (certain) to.fixed(',');
    else to.op(OP.COMMA);
    emit(to, element);
    choose(nth(next, index));
  }
  addresses.push(to.here());
}

function emitOptional(to: Assembler, { cell, node }: Optional, certain: boolean): void {
  const unless = to.op(OP.UNLESS, cellBytes(cell));
  if (certain) to.fixed(',');
  else to.op(OP.COMMA);
  emit(to, node);
  unless.b = to.here();
}

/** An optional member includes the comma between itself and the first member that is always present. */
function emitObject(to: Assembler, members: readonly (readonly [string | Text, Node | Optional])[]): void {
  const certain = members.findIndex(([, value]) => !isOptional(value));
  if (members.length > 0 && certain < 0) throw new Error('an object has no member that is certain');
  to.fixed('{');
  members.forEach(([key, value], index) => {
    const unless = isOptional(value) ? to.op(OP.UNLESS, cellBytes(value.cell)) : undefined;
    if (index > certain) to.fixed(',');
    emit(to, key);
    to.fixed(':');
    emit(to, isOptional(value) ? value.node : value);
    if (index < certain) to.fixed(',');
    if (unless !== undefined) unless.b = to.here();
  });
  to.fixed('}');
}

function isOptional(value: Node | Optional): value is Optional {
  return isSlotted(value) && value[SLOT] === 'optional';
}
