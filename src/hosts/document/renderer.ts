import { oncePerObject } from '../../base/kernel/memoize.ts';
import { SHARES } from './nodes.ts';
import { SHARE_BYTES, wholeBlocks } from './opcodes.ts';
import type { Program } from './program.ts';

export type Renderer = {
  /** Writes a document into a buffer with enough room, and returns the offset after its last byte. */
  readonly render: (program: Program, frame: Float64Array, out: Buffer, offset: number) => number;
  /** Returns a buffer for direct writes of documents while there is room for one, otherwise any buffer. It is never freed. */
  readonly buffer: (sizeBytes: number) => Buffer;
};

/**
 * The renderer of a thread, shared by all fleets, because each renderer reserves address space for the largest possible memory. Its
 * parameter is the compiled `render.wasm`.
 */
export const rendererOf = oncePerObject((module: WebAssembly.Module) => createRenderer(module));

/**
 * The interpreter in `assembly` takes half the time of one in JavaScript, although frames are copied to it. Documents for other
 * buffers than its own are also copied, which takes 3 to 4 % of a push of 39 KB.
 */
function createRenderer(module: WebAssembly.Module): Renderer {
  const write = (at: number, value: number) => at + bytes.write(String(value), at, 'latin1');
  const { memory, firstFree, render } = new WebAssembly.Instance(module, { engine: { write } }).exports as Exports;
  const shares = firstFree.value;
  // Grows once to the final size, because growing invalidates JavaScript's views. Untouched pages take no memory.
  memory.grow(Math.ceil(WHOLE_BYTES / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES);
  const whole = memory.buffer;
  const bytes = Buffer.from(whole);
  const cells = new Float64Array(whole);
  const buffers = createBufferMemory(bytes, shares + SHARES.length * SHARE_BYTES);
  const programs = createProgramMemory(bytes, buffers.end);
  bytes.set(shareTable(), shares);
  return {
    render(program, frame, out, offset) {
      const addresses = programs.addressesOf(program, frame);
      cells.set(frame, addresses.frame / Float64Array.BYTES_PER_ELEMENT);
      if (out.buffer === whole) {
        return render(addresses.program, addresses.frame, shares, out.byteOffset + offset) - out.byteOffset;
      }
      const end = render(addresses.program, addresses.frame, shares, programs.target);
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

/** Addresses of a program and its frame in the memory, in bytes. */
type Addresses = { readonly program: number; readonly frame: number };

const PAGE_BYTES = 65_536;
/** Writes of whole blocks exceed their end by at most this much. */
const BEYOND_BYTES = 64;
/** Size of all buffers for direct writes: 128 of 64 KiB. */
const BUFFERS_BYTES = 8 * 1024 * 1024;
/** At this size, all programs are dropped, because some are no longer used. The others return at their next use. */
const MAX_BYTES = 64 * 1024 * 1024;
const WHOLE_BYTES = BUFFERS_BYTES + MAX_BYTES;

function createBufferMemory(bytes: Buffer, start: number) {
  const end = wholeBlocks(start + BUFFERS_BYTES);
  let free = wholeBlocks(start);
  return {
    end,
    take: (sizeBytes: number): Buffer => {
      const address = free;
      const next = wholeBlocks(address + sizeBytes + BEYOND_BYTES);
      if (next > end) return Buffer.allocUnsafeSlow(sizeBytes);
      free = next;
      return bytes.subarray(address, address + sizeBytes);
    },
  };
}

/**
 * WebAssembly sees one memory only. After the buffers, it has a target for documents that are copied to other buffers, at the first
 * free byte, and, from its first use on, each program with its frame.
 */
function createProgramMemory(bytes: Buffer, target: number) {
  let known = new WeakMap<Program, Addresses>();
  let targetBytes = 0;
  let free = target;
  const reserve = (sizeBytes: number) => {
    const address = free;
    free = wholeBlocks(free + sizeBytes);
    if (free > bytes.length) throw new Error(`a document takes ${sizeBytes} bytes, more than a renderer has`);
    return address;
  };
  const forgetAll = () => {
    known = new WeakMap();
    free = target;
    reserve(targetBytes);
  };
  const put = (program: Program, frame: Float64Array): Addresses => {
    const { image, maxBytes } = program;
    if (maxBytes + BEYOND_BYTES > targetBytes) {
      targetBytes = maxBytes + BEYOND_BYTES;
      forgetAll();
    } else if (free + image.length + frame.byteLength + BEYOND_BYTES > bytes.length) forgetAll();
    const addresses = { program: reserve(image.length), frame: reserve(frame.byteLength) };
    bytes.set(image, addresses.program);
    known.set(program, addresses);
    return addresses;
  };
  const addressesOf = (program: Program, frame: Float64Array) => known.get(program) ?? put(program, frame);
  return { target, addressesOf };
}
