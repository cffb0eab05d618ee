import { BLOCK_BYTES, SHARE_BYTES } from './opcodes.ts';
import type { Program } from './program.ts';
import { SHARES } from './tick-shares.ts';

export type Renderer = {
  /** Writes a document into a buffer that has room for it; returns the offset after its last byte. */
  readonly render: (program: Program, frame: Float64Array, out: Buffer, offset: number) => number;
  /** A buffer into which documents are written straight, as long as there is room for one; else any. It is never given back. */
  readonly buffer: (sizeBytes: number) => Buffer;
};

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
 * The interpreter in `assembly` takes half the time of the same in JavaScript, although frames are copied to it. Documents
 * for other buffers than its own are copied, too, which is 3 to 4 % of what a push of 39 KB costs.
 */
function createRenderer(module: WebAssembly.Module): Renderer {
  const write = (at: number, value: number) => at + bytes.write(String(value), at, 'latin1');
  const { memory, firstFree, render } = new WebAssembly.Instance(module, { engine: { write } }).exports as Exports;
  const shares = firstFree.value;
  // At once, because what is there of it is lost to JavaScript when it grows. What nobody writes to takes no memory.
  memory.grow(Math.ceil(WHOLE_BYTES / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES);
  const whole = memory.buffer;
  const bytes = Buffer.from(whole);
  const cells = new Float64Array(whole);
  const buffers = createBufferMemory(bytes, shares + SHARES.length * SHARE_BYTES);
  const programs = createProgramMemory(bytes, buffers.end);
  bytes.set(shareTable(), shares);
  return {
    render(program, frame, out, offset) {
      const place = programs.placeOf(program, frame);
      cells.set(frame, place.frame / Float64Array.BYTES_PER_ELEMENT);
      if (out.buffer === whole) {
        return render(place.program, place.frame, shares, out.byteOffset + offset) - out.byteOffset;
      }
      const end = render(place.program, place.frame, shares, programs.target);
      return offset + bytes.copy(out, offset, programs.target, end);
    },
    buffer: buffers.take,
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

const PAGE_BYTES = 65_536;
/** What is written in whole blocks reaches no further beyond its end. */
const BEYOND_BYTES = 64;
/** Of all buffers that documents are written into straight: 128 of 64 KiB. */
const BUFFERS_BYTES = 8 * 1024 * 1024;
/** With so much, programs that nobody uses any more are worth forgetting: all are, and come back as they are used. */
const MOST_BYTES = 64 * 1024 * 1024;
const WHOLE_BYTES = BUFFERS_BYTES + MOST_BYTES;

type BufferMemory = { readonly end: number; readonly take: Renderer['buffer'] };

function createBufferMemory(bytes: Buffer, start: number): BufferMemory {
  const end = wholeBlocks(start + BUFFERS_BYTES);
  let free = wholeBlocks(start);
  return {
    end,
    take: (sizeBytes) => {
      const place = free;
      const next = wholeBlocks(place + sizeBytes + BEYOND_BYTES);
      if (next > end) return Buffer.allocUnsafeSlow(sizeBytes);
      free = next;
      return bytes.subarray(place, place + sizeBytes);
    },
  };
}

/** WebAssembly sees one memory only: behind the buffers it has a target for documents, and each program with its frame from its first use on. */
type ProgramMemory = {
  /** Where documents for other buffers are written, in bytes. */
  readonly target: number;
  readonly placeOf: (program: Program, frame: Float64Array) => Place;
};

/** `target` is the first byte that is free. */
function createProgramMemory(bytes: Buffer, target: number): ProgramMemory {
  let places = new WeakMap<Program, Place>();
  let targetBytes = 0;
  let free = target;
  const reserve = (sizeBytes: number) => {
    const place = free;
    free = wholeBlocks(free + sizeBytes);
    if (free > bytes.length) throw new Error(`a document takes ${sizeBytes} bytes, more than a renderer has`);
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
    } else if (free + image.length + frame.byteLength + BEYOND_BYTES > bytes.length) forgetAll();
    const place = { program: reserve(image.length), frame: reserve(frame.byteLength) };
    bytes.set(image, place.program);
    places.set(program, place);
    return place;
  };
  return { target, placeOf: (program, frame) => places.get(program) ?? put(program, frame) };
}

function wholeBlocks(sizeBytes: number): number {
  return Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
}
