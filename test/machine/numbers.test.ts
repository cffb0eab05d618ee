import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeInteger, writeTenths, writeWide } from '../../src/machine/document/digits.ts';
import { writeFloat } from '../../src/machine/document/shortest.ts';

const bytes = Buffer.alloc(64);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

function written(write: (out: DataView, at: number) => number): string {
  bytes.fill('#');
  return bytes.toString('latin1', 5, write(view, 5));
}

/** Any double, and those of the kinds that documents have: ratios, percentages, few decimals, neighbours of round ones. */
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
  it('are written as an encoder writes them', () => {
    fc.assert(
      fc.property(anyFloat, (value) => {
        expect(written((out, at) => writeFloat(out, at, Float64Array.of(value), 0))).toBe(
          String(value === 0 ? 0 : value),
        );
      }),
      { numRuns: 20_000 },
    );
  });

  it('may be any whole number that a double holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -20_000, max: 20_000 })), (value) => {
        expect(written((out, at) => writeInteger(out, at, value))).toBe(String(value));
      }),
      { numRuns: 2000 },
    );
  });

  it('may be tenths, or have 64 bits', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(999_999_999), (upper, lower) => {
        expect(written((out, at) => writeTenths(out, at, upper))).toBe(String(upper / 10));
        expect(written((out, at) => writeWide(out, at, upper, lower))).toBe(
          String(BigInt(upper) * 1_000_000_000n + BigInt(lower)),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
