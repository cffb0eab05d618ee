import { setImmediate } from 'node:timers/promises';

/** Time slice of a visit to many agents before other work gets its turn. */
const SLICE_MS = 5;

/** Number of agents between two clock reads: generating a host name takes some 20 µs. */
const STEP = 32;

/** Visits the numbers in [from, to) in slices. Ends early if `visit` returns false or the caller disconnects. */
export async function visitInSlices(
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal: AbortSignal },
  visit: (number: number) => boolean,
): Promise<void> {
  let sliceEndMs = performance.now() + SLICE_MS;
  for (let number = from; number < to; number++) {
    if (!visit(number)) return;
    if ((number - from) % STEP !== STEP - 1 || performance.now() < sliceEndMs) continue;
    await setImmediate();
    if (signal.aborted) return;
    sliceEndMs = performance.now() + SLICE_MS;
  }
}
