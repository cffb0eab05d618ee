import { BLOCK_BYTES, SHARE_BYTES } from './opcodes.ts';
import type { Program } from './program.ts';
import { SHARES } from './tick-shares.ts';

/** Writes a document into a buffer that has room for it; returns the offset after its last byte. */
export type Renderer = (program: Program, frame: Float64Array, out: Buffer, offset: number) => number;

const renderers = new WeakMap<WebAssembly.Module, Renderer>();

/**
 * The renderer of a thread: it has one for all fleets, because each takes address space for the largest memory that there
 * can be. `module` is `render.wasm`, compiled.
 */
export function rendererOf(module: WebAssembly.Module): Renderer {
  const known = renderers.get(module) ?? createRenderer(module);
  renderers.set(module, known);
  return known;
}

/**
 * The interpreter in `assembly` takes half the time of the same in JavaScript, although frames are copied to it and
 * documents from it: that is a seventh of its time.
 */
function createRenderer(module: WebAssembly.Module): Renderer {
  const write = (at: number, value: number) => at + programs.views().bytes.write(String(value), at, 'latin1');
  const { memory, firstFree, render } = new WebAssembly.Instance(module, { engine: { write } }).exports as Exports;
  const shares = firstFree.value;
  const programs: ProgramMemory = createProgramMemory(memory, shares + SHARES.length * SHARE_BYTES);
  programs.views().bytes.set(shareTable(), shares);
  return (program, frame, out, offset) => {
    const place = programs.placeOf(program, frame);
    const { bytes, cells } = programs.views();
    cells.set(frame, place.frame / Float64Array.BYTES_PER_ELEMENT);
    const end = render(place.program, place.frame, shares, programs.target);
    return offset + bytes.copy(out, offset, programs.target, end);
  };
}

type Exports = {
  readonly memory: WebAssembly.Memory;
  readonly firstFree: { readonly value: number };
  readonly render: (program: number, frame: number, shares: number, target: number) => number;
};

/** The texts of all shares, each with its length in the last byte. */
function shareTable(): Buffer {
  const table = Buffer.alloc(SHARES.length * SHARE_BYTES);
  for (const [index, share] of SHARES.entries()) {
    const text = JSON.stringify(share);
    table.write(text, index * SHARE_BYTES);
    table[(index + 1) * SHARE_BYTES - 1] = text.length;
  }
  return table;
}

/** Where a program and its frame are in the memory, in bytes. */
type Place = { readonly program: number; readonly frame: number };

/** WebAssembly sees one memory only: it has a target for documents, and each program with its frame from its first use on. */
type ProgramMemory = {
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
function createProgramMemory(memory: WebAssembly.Memory, target: number): ProgramMemory {
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
