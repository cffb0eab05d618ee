import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSendBuffers } from '../../src/transport/send-buffers.ts';

const MIB = 2 ** 20;

/** Only its length counts here: hundreds of megabytes need not be there. */
const emptyBuffer = (length: number): Buffer => ({ length }) as Buffer;

describe('buffers for requests', () => {
  it('have room for what is asked for, and are not handed out twice at a time', () => {
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
      { numRuns: 30 },
    );
  });

  it('serve one request after another with the same one, however large others are', () => {
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

  it('that a stall has made are kept up to 16 MB of a size, whatever the longest request was', () => {
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
      // Of 200 that are wanted again, those that were not kept are made.
      return 200 - kept / (held[0]?.length ?? 1);
    };
    expect(stall(40_000)).toBe(128);
    expect(stall(200_000)).toBe(64);
    expect(stall(1_700_000)).toBe(8);
  });
});
