import { describe, expect, it } from 'vitest';
import { type Cell, createCells, slot } from '../../../src/hosts/document/nodes.ts';
import { compile } from '../../../src/hosts/document/program.ts';
import { rendererOf } from '../../../src/hosts/document/renderer.ts';
import { HOST_DATA } from '../host-data.ts';

const { render, buffer } = rendererOf(HOST_DATA.renderer);

const MIB = 1024 * 1024;
const [cell] = createCells().list(1) as [Cell];
const frame = Float64Array.of(7);
const out = Buffer.alloc(16 * MIB);

/** A document of this many MiB that contains a repeated letter and a number. */
function large(letter: string, mib: number) {
  const text = letter.repeat(mib * MIB);
  return { program: compile([text, slot.integer(cell)]), json: Buffer.from(`["${text}",7]`, 'latin1') };
}

function rendered({ program }: ReturnType<typeof large>): Buffer {
  return out.subarray(0, render(program, frame, out, 0));
}

describe("documents of more programs than the renderer's memory can hold", () => {
  it('are complete, including those of evicted programs, and one larger than all before', () => {
    const documents = [...'abcde'].map((letter) => large(letter, 14));
    for (const document of [...documents, ...documents, large('k', 15), ...documents]) {
      expect(rendered(document).equals(document.json)).toBe(true);
    }
  });
});

describe('a buffer of the renderer', () => {
  it('has its document at the given offset without overwriting its surroundings, even with more buffers than fit', () => {
    const { program, json } = large('x', 1 / 16);
    const buffers = Array.from({ length: 300 }, (_, n) => ({
      own: buffer(json.length + 9 + program.maxBytes),
      letter: n,
    }));
    for (const { own, letter } of buffers) {
      own.fill(letter);
      expect(render(program, frame, own, 9)).toBe(9 + json.length);
    }
    for (const { own, letter } of buffers) {
      expect(own.subarray(0, 9)).toEqual(Buffer.alloc(9, letter));
      expect(own.subarray(9, 9 + json.length).equals(json)).toBe(true);
      expect(own.at(-1)).toBe(letter % 256);
    }
  });
});
