import { z } from 'zod';
import { parseDuration } from '../../kernel/units.ts';
import type { Phase } from '../../load/timeline.ts';

/** An instant of a run as it is written; without a phase it counts from the run's start. */
export type Instant = { readonly phase: string | undefined; readonly offsetMs: number };

// The name's grammar is that of phases, the duration's that of the kernel.
const INSTANT = /^([A-Za-z][A-Za-z0-9_-]*(\+(\d+(\.\d+)?(us|ms|s|m|h|d))+)?|(\d+(\.\d+)?(us|ms|s|m|h|d))+)$/;

export const INSTANT_FORM =
  "a phase's name, with an offset if wanted such as steady+5s, or a time from the start such as 12s";

export const instant = z.string(INSTANT_FORM).regex(INSTANT, INSTANT_FORM).transform(readInstant);

/** Milliseconds from the run's start, whole microseconds. */
export function instantOf({ phase, offsetMs }: Instant, phases: readonly Phase[]): number {
  const startMs = phase === undefined ? 0 : phases.find(({ name }) => name === phase)?.startMs;
  if (startMs === undefined) throw new Error(`the checks let the phase ${phase} pass`);
  return Math.round((startMs + offsetMs) * 1000) / 1000;
}

function readInstant(text: string): Instant {
  if (/^\d/.test(text)) return { phase: undefined, offsetMs: parseDuration(text) ?? 0 };
  const [phase, offset = '0s'] = text.split('+');
  return { phase, offsetMs: parseDuration(offset) ?? 0 };
}
