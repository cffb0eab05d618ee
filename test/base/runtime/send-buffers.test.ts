import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSendBuffers } from '../../../src/base/runtime/send-buffers.ts';
import { draws } from '../../draws.ts';

const MIB = 2 ** 20;

/** Only the length counts here, so hundreds of megabytes need not be allocated. */
const emptyBuffer = (length: number): Buffer => ({ length }) as Buffer;

describe('send buffers', () => {
  it('have room for the requested size, and are never handed out twice at a time', () => {
    const buffers = createSendBuffers(emptyBuffer);
    const step = fc.oneof(fc.integer({ min: 1, max: 3 * MIB }), fc.constant(0));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const held: Buffer[] = [];
        for (const bytes of steps) {
          if (bytes === 0) {
            const back = held.pop();
            if (back !== undefined) buffers.giveBack(back);
            continue;
          }
          const taken = buffers.take(bytes);
          expect(taken.length).toBeGreaterThanOrEqual(bytes);
          expect(held).not.toContain(taken);
          held.push(taken);
        }
        for (const buffer of held) buffers.giveBack(buffer);
      }),
      { numRuns: draws(15) },
    );
  });

  it('are reused from one request to the next, however large other requests are', () => {
    let madeBytes = 0;
    const buffers = createSendBuffers((sizeBytes) => {
      madeBytes += sizeBytes;
      return emptyBuffer(sizeBytes);
    });
    const small = buffers.take(40_000);
    buffers.giveBack(small);
    buffers.giveBack(buffers.take(1_700_000));
    expect(buffers.take(50_000)).toBe(small);
    expect(madeBytes).toBeLessThan(3 * MIB);
  });

  it('from a stall are kept up to 16 MB of all sizes together, and one of each size in any case', () => {
    let made = 0;
    const buffers = createSendBuffers((sizeBytes) => {
      made++;
      return emptyBuffer(sizeBytes);
    });
    const sizes = [200_000, 1_700_000, 40_000];
    const taken = (bytes: number) => Array.from({ length: 200 }, () => buffers.take(bytes));
    for (const held of sizes.map(taken)) for (const buffer of held) buffers.giveBack(buffer);
    const kept = sizes.map((bytes) => {
      made = 0;
      taken(bytes);
      return 200 - made;
    });
    expect(kept).toEqual([64, 1, 1]);
  });
});
