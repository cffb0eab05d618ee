import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PhaseSpan } from '../../src/metrics/merging/phases.ts';
import { createRecordedTotals, type TotalsReading } from '../../src/metrics/merging/run-totals.ts';
import { readRecording } from '../../src/results/recorded-seconds.ts';
import { type TimelineRow, timelineRowSchema } from '../../src/results/timeline.ts';

/** Returns the recorded seconds; for a killed run, without the incomplete last line. */
export function readTimeline(folder: string): TimelineRow[] {
  const lines = readFileSync(join(folder, 'timeline.ndjson'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => timelineRowSchema.parse(JSON.parse(line)));
}

/** Adds up the seconds of a folder. */
export async function readTotals(folder: string, phases: readonly PhaseSpan[]): Promise<TotalsReading> {
  const totals = createRecordedTotals(phases);
  for await (const second of readRecording(folder)) totals.add(second);
  return totals.read();
}
