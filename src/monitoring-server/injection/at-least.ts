/**
 * Calls `act` once `delayMs` have passed, and never before: a plain timer drops fractions of a millisecond and counts
 * from the start of the event loop's turn, so that it may fire early. Returns what calls it off.
 */
export function afterAtLeast(delayMs: number, act: () => void): () => void {
  const dueMs = performance.now() + delayMs;
  const fire = () => {
    const restMs = dueMs - performance.now();
    if (restMs <= 0) act();
    else timer = setTimeout(fire, Math.ceil(restMs));
  };
  let timer = setTimeout(fire, Math.ceil(delayMs));
  return () => clearTimeout(timer);
}
