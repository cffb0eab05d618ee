import type { LoggedLoad } from './logged-load.ts';

/** A part of a log with its own kind of load, in microseconds since the start of the log. */
export type LogPhase = {
  readonly name: 'before' | 'incident' | 'recovery' | 'replay';
  readonly fromUs: number;
  readonly toUs: number;
  /** Why it begins where it does, and how it differs; empty for one without a difference. */
  readonly why: string;
};

/** Arrivals that a part must usually have, so that chance does not look like an incident. */
const ENOUGH = 64;
const MIN_PARTS = 4;
/** Unusual parts with this many usual ones between them belong together. */
const APART = 3;

type Part = { readonly arrivals: number; readonly errorShare: number; readonly meanMs: number };

/** The phases at the visible breaks: the longest time in which requests were missing, failed or took long, and what was before and after it. */
export function phasesOfLog(observed: LoggedLoad): readonly LogPhase[] {
  const { binUs, bins, arrivals, lastUs } = observed;
  const whole: LogPhase = { name: 'replay', fromUs: 0, toUs: lastUs, why: '' };
  const size = Math.max(1, Math.ceil((ENOUGH * bins) / arrivals));
  const parts = Array.from({ length: Math.floor(bins / size) }, (_, index): Part => {
    const { arrivals: count, errors, meanMs = 0 } = observed.stretchOf(index * size, (index + 1) * size);
    return { arrivals: count, errorShare: count === 0 ? 0 : errors / count, meanMs };
  });
  if (parts.length < MIN_PARTS) return [whole];
  const usual: Part = {
    arrivals: median(parts.map((part) => part.arrivals)),
    errorShare: median(parts.map(({ errorShare }) => errorShare)),
    meanMs: median(parts.map(({ meanMs }) => meanMs)),
  };
  const kinds = parts.map((part) => unusual(part, usual));
  const incident = longestRun(kinds);
  if (incident === undefined) return [whole];
  const partUs = size * binUs;
  const [fromUs, toUs] = snapped([incident.from * partUs, incident.to * partUs], observed, partUs);
  const phases: readonly LogPhase[] = [
    { name: 'before', fromUs: 0, toUs: fromUs, why: '' },
    { name: 'incident', fromUs, toUs, why: incident.why },
    { name: 'recovery', fromUs: toUs, toUs: lastUs, why: '' },
  ];
  return phases.filter((phase) => phase.toUs > phase.fromUs);
}

/** How a part differs from the usual ones; `undefined`: not. */
function unusual(part: Part, usual: Part): string | undefined {
  if (part.arrivals < usual.arrivals / 2) return 'requests are missing';
  if (part.errorShare > usual.errorShare + 0.1) return 'requests fail';
  if (part.meanMs > usual.meanMs * 5 && part.meanMs > 100) return 'answers take long';
  return undefined;
}

/** The longest run of unusual parts, that does not begin the log: what was before would be unknown. */
function longestRun(kinds: readonly (string | undefined)[]) {
  let best: { readonly from: number; readonly to: number; readonly why: string } | undefined;
  for (let from = 0; from < kinds.length; ) {
    const why = kinds[from];
    if (why === undefined) {
      from++;
      continue;
    }
    let to = from + 1;
    for (let next = to; next < kinds.length && next < to + APART; next++) if (kinds[next] !== undefined) to = next + 1;
    if (from > 0 && to - from > (best === undefined ? 0 : best.to - best.from)) best = { from, to, why };
    from = to;
  }
  return best;
}

/** An outage begins and ends with the requests around it, which are known better than parts. */
function snapped([fromUs, toUs]: readonly [number, number], { silences }: LoggedLoad, partUs: number) {
  const nearUs = 2 * partUs;
  const silence = silences.find(
    (one) => Math.abs(one.fromUs - fromUs) <= nearUs && Math.abs(one.toUs - toUs) <= nearUs,
  );
  return silence === undefined ? ([fromUs, toUs] as const) : ([silence.fromUs, silence.toUs] as const);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
