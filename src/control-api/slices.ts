import { setImmediate } from 'node:timers/promises';

/** A look at many agents lets others have their turn after so long. */
const SLICE_MS = 5;

/** The clock is looked at each time after so many: making up the name of a host takes some 20 µs. */
const STEP = 32;

/** Visits the numbers from one until before another, in slices; ends early once a visit returns false, or nobody waits any more. */
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
