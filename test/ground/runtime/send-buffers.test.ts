import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSendBuffers } from '../../../src/ground/runtime/send-buffers.ts';
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
      { numRuns: draws(30) },
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

  it('from a stall are kept up to 16 MB per size, whatever the longest request was', () => {
    let kept = 0;
    const buffers = createSendBuffers((sizeBytes) => {
      kept += sizeBytes;
      return emptyBuffer(sizeBytes);
    });
    const stall = (bytes: number) => {
      const held = Array.from({ length: 200 }, () => buffers.take(bytes));
      for (const buffer of held) buffers.giveBack(buffer);
      kept = 0;
      for (let n = 0; n < 200; n++) buffers.take(bytes);
      // Of the 200 requested again, those that were not kept are allocated.
      return 200 - kept / (held[0]?.length ?? 1);
    };
    expect(stall(40_000)).toBe(128);
    expect(stall(200_000)).toBe(64);
    expect(stall(1_700_000)).toBe(8);
  });
});
