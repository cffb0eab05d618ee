import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, createCells, slot } from '../../../src/hosts/document/nodes.ts';
import { compile, type Program } from '../../../src/hosts/document/program.ts';
import { rendererOf } from '../../../src/hosts/document/renderer.ts';
import { draws } from '../../draws.ts';
import { HOST_DATA } from '../host-data.ts';

const { render } = rendererOf(HOST_DATA.renderer);

const [first, second] = createCells().list(2) as [Cell, Cell];
const PROGRAMS = {
  float: compile(slot.float(first)),
  integer: compile(slot.integer(first)),
  tenths: compile(slot.tenths(first)),
  wide: compile(slot.wide(first, second)),
  fraction: compile(slot.text('0', slot.fraction(first))),
};
const out = Buffer.alloc(64);

/** Renders a document that consists of one number from these cells. */
function written(program: Program, ...cells: readonly [number] | readonly [number, number]): string {
  return out.toString('latin1', 5, render(program, Float64Array.from(cells), out, 5));
}

/** Any double, and the kinds in documents: ratios, percentages, few decimals, neighbors of round numbers. */
const anyFloat = fc.oneof(
  fc.double(),
  fc.double({ min: 0, max: 100, noNaN: true }),
  fc.double({ min: -1e-2, max: 1e-2, noNaN: true }),
  fc.tuple(fc.nat(1_000_000_000), fc.integer({ min: 1, max: 100_000 })).map(([a, b]) => a / b),
  fc.tuple(fc.nat(100_000_000), fc.integer({ min: 0, max: 9 })).map(([a, b]) => a / 10 ** b),
  fc.tuple(fc.nat(2 ** 30), fc.integer({ min: 1, max: 40 })).map(([a, b]) => a / 2 ** b),
  fc
    .tuple(fc.integer({ min: -8, max: 9 }), fc.integer({ min: -9, max: 9 }))
    .map(([a, b]) => 10 ** a * (1 + b * 2 ** -52)),
);

describe('numbers in a document', () => {
  it('are written as by a JSON encoder', () => {
    fc.assert(
      fc.property(anyFloat, (value) => {
        expect(written(PROGRAMS.float, value)).toBe(String(value === 0 ? 0 : value));
      }),
      { numRuns: draws(8000) },
    );
  });

  it('may be any integer that a double can represent', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -20_000, max: 20_000 })), (value) => {
        expect(written(PROGRAMS.integer, value)).toBe(String(value));
      }),
      { numRuns: draws(800) },
    );
  });

  it('may be tenths, or have 64 bits', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(999_999_999), (upper, lower) => {
        expect(written(PROGRAMS.tenths, upper)).toBe(String(upper / 10));
        expect(written(PROGRAMS.wide, upper, lower)).toBe(String(BigInt(upper) * 1_000_000_000n + BigInt(lower)));
      }),
      { numRuns: draws(800) },
    );
  });

  it('may have leading zeros, hexadecimal digits or nine decimals', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), fc.integer({ min: 1, max: 9 }), (value, width) => {
        const few = value % 10 ** width;
        expect(written(compile(slot.text(slot.padded(first, width))), few)).toBe(
          `"${String(few).padStart(width, '0')}"`,
        );
        const digits = Math.min(8, width);
        const small = value % 16 ** digits;
        expect(written(compile(slot.text(slot.hex(first, digits))), small)).toBe(
          `"${small.toString(16).padStart(digits, '0')}"`,
        );
        expect(JSON.parse(JSON.parse(written(PROGRAMS.fraction, value)))).toBe(value / 1e9);
      }),
      { numRuns: draws(200) },
    );
  });

  it('cause an error if they are NaN', () => {
    expect(() => written(PROGRAMS.integer, Number.NaN)).toThrow(WebAssembly.RuntimeError);
  });
});
