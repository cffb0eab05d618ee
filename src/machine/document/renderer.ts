import { once } from '../../kernel/memoize.ts';
import { SHARE_BYTES } from './opcodes.ts';
import type { Program } from './program.ts';
import { createProgramMemory, type ProgramMemory } from './program-memory.ts';
import { RENDER_WASM } from './render-wasm.ts';
import { SHARES } from './tick-shares.ts';

/** Writes a document into a buffer that has room for it; returns the offset after its last byte. */
export type Renderer = (program: Program, frame: Float64Array, out: Buffer, offset: number) => number;

/** A thread has one, because each takes address space for the largest memory that there can be. */
export const threadRenderer: () => Renderer = once(createRenderer);

/**
 * The interpreter in `assembly` takes half the time of the same in JavaScript, although frames are copied to it and
 * documents from it: that is a seventh of its time.
 */
function createRenderer(): Renderer {
  const module = new WebAssembly.Module(Buffer.from(RENDER_WASM, 'base64'));
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
