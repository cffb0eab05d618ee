import { createWriteStream, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CSV_HEADER, csvLines } from '../metrics/results/timeline-csv.ts';
import type { TimelineRow } from '../metrics/results/timeline-row.ts';
import { wholeLines } from './lines.ts';
import { notWritten, RESULT_FILES } from './result-folder.ts';

/**
 * Writes `timeline.csv` whole or not at all, from the lines of `timeline.ndjson` as a run has written them. It takes one
 * line into memory at a time, however long the run was. Throws a UserError if the disk does not take it.
 */
export async function writeTimelineTable(folder: string, startedAt: Date): Promise<void> {
  const file = join(folder, RESULT_FILES.table);
  const part = join(folder, `.${RESULT_FILES.table}.part`);
  try {
    await pipeline(tableOf(join(folder, RESULT_FILES.timeline), startedAt), createWriteStream(part));
    renameSync(part, file);
  } catch (error) {
    throw notWritten(error, folder);
  }
}

async function* tableOf(timeline: string, startedAt: Date): AsyncGenerator<string, undefined> {
  yield `${CSV_HEADER}\n`;
  for await (const { text } of wholeLines(timeline)) {
    yield csvLines(JSON.parse(text) as TimelineRow, startedAt.getTime());
  }
}
