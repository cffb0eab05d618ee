import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, UserError } from '../kernel/errors.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import { readLog } from '../metrics/results/histogram-log.ts';
import { type Summary, summarySchema } from '../metrics/results/summary-schema.ts';
import { restoreFrames, type TimelineRow, timelineRowSchema } from '../metrics/results/timeline-row.ts';
import { RESULT_FILES } from './result-files.ts';

/** The summary of a finished run. Throws a UserError if there is none or it is not one of this version. */
export function readSummary(folder: string): Summary {
  const path = join(folder, RESULT_FILES.summary);
  return checked(path, summarySchema, parsed(path, textOf(path)));
}

/** The seconds recorded so far; of a run that was killed, without the line it was killed in. */
export function readTimeline(folder: string): TimelineRow[] {
  const path = join(folder, RESULT_FILES.timeline);
  const lines = textOf(path).split('\n').slice(0, -1);
  return lines.map((line, index) => {
    const place = `${path} line ${index + 1}`;
    return checked(place, timelineRowSchema, parsed(place, line));
  });
}

/** Frames that add up to everything a run has recorded, for a totals to build its results from anew. */
export function readFrames(folder: string): Frame[] {
  return restoreFrames(readTimeline(folder), readLog(textOf(join(folder, RESULT_FILES.histograms))));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(
      `no results to read: ${messageOf(error)}; name the folder of a run, such as results/steady/latest`,
    );
  }
}

function parsed(place: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(`${place} is damaged: ${messageOf(error)}`);
  }
}

function checked<T>(place: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new UserError(`${place} was not written by this version of Muster:\n${z.prettifyError(result.error)}`);
}
