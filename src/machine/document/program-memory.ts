import { BLOCK_BYTES } from './opcodes.ts';
import type { Program } from './program.ts';

/** Where a program and its frame are in the memory, in bytes. */
export type Place = { readonly program: number; readonly frame: number };

/** WebAssembly sees one memory only: it has a target for documents, and each program with its frame from its first use on. */
export type ProgramMemory = {
  /** Where documents are written, in bytes. */
  readonly target: number;
  /** Of the whole memory; they are made anew when it grows. */
  readonly views: () => Views;
  readonly placeOf: (program: Program, frame: Float64Array) => Place;
};

type Views = { readonly bytes: Buffer; readonly cells: Float64Array };

const PAGE_BYTES = 65_536;
/** What is written in whole blocks reaches no further beyond its end. */
const BEYOND_BYTES = 64;
/** With so much, programs that nobody uses any more are worth forgetting: all are, and come back as they are used. */
const MOST_BYTES = 64 * 1024 * 1024;

/** `target` is the first byte that is free. */
export function createProgramMemory(memory: WebAssembly.Memory, target: number): ProgramMemory {
  let views = viewsOf(memory);
  let places = new WeakMap<Program, Place>();
  let targetBytes = 0;
  let free = target;
  const reserve = (sizeBytes: number) => {
    const place = free;
    free = Math.ceil((free + sizeBytes) / BLOCK_BYTES) * BLOCK_BYTES;
    const missing = free + BLOCK_BYTES - views.bytes.length;
    if (missing > 0) {
      memory.grow(Math.ceil(missing / PAGE_BYTES));
      views = viewsOf(memory);
    }
    return place;
  };
  const forgetAll = () => {
    places = new WeakMap();
    free = target;
    reserve(targetBytes);
  };
  const put = (program: Program, frame: Float64Array): Place => {
    const { image, maxBytes } = program;
    if (maxBytes + BEYOND_BYTES > targetBytes) {
      targetBytes = maxBytes + BEYOND_BYTES;
      forgetAll();
    } else if (free + image.length + frame.byteLength > MOST_BYTES) forgetAll();
    const place = { program: reserve(image.length), frame: reserve(frame.byteLength) };
    views.bytes.set(image, place.program);
    places.set(program, place);
    return place;
  };
  return {
    target,
    views: () => views,
    placeOf: (program, frame) => places.get(program) ?? put(program, frame),
  };
}

function viewsOf({ buffer }: WebAssembly.Memory): Views {
  return { bytes: Buffer.from(buffer), cells: new Float64Array(buffer) };
}
