const SMALLEST_BYTES = 64 * 1024;
const MOST_KEPT = 16;

/**
 * Buffers for bodies on their way out. What a port shows is overwritten by its next call, while a socket that does not
 * take all at once goes on reading from where the bytes lie; so each body is copied, nearly always into the same buffer,
 * which the processor's cache holds.
 */
export type LentBuffers = {
  readonly copyOf: (bytes: Buffer) => Lent;
  /** Nobody reads from it any more. */
  readonly giveBack: (lent: Lent) => void;
};

export type Lent = { readonly bytes: Buffer; readonly whole: Buffer };

export function createLentBuffers(): LentBuffers {
  const kept: Buffer[] = [];
  return {
    copyOf: (bytes) => {
      const last = kept.pop();
      const whole =
        last !== undefined && last.length >= bytes.length
          ? last
          : Buffer.allocUnsafeSlow(Math.max(SMALLEST_BYTES, 2 ** Math.ceil(Math.log2(bytes.length))));
      bytes.copy(whole);
      return { bytes: whole.subarray(0, bytes.length), whole };
    },
    giveBack: ({ whole }) => {
      if (kept.length < MOST_KEPT) kept.push(whole);
    },
  };
}
