import { responseDistributions } from '../metrics/results/summary.ts';
import { RESULT_FILES, writeResult, writeResultFile } from '../storage/result-folder.ts';
import { writeTimelineTable } from '../storage/timeline-table.ts';
import type { Rebuilt } from './rebuild.ts';
import { reportOf } from './report-of.ts';

/** Writes what a run writes at its end into its folder, each file whole or not at all. Throws `UserError`. */
export async function writeRebuilt(folder: string, rebuilt: Extract<Rebuilt, { kind: 'rebuilt' }>): Promise<void> {
  const { summary, recording, history } = rebuilt;
  writeResultFile(folder, RESULT_FILES.report, reportOf(summary, recording, history));
  await writeTimelineTable(folder, new Date(summary.startedAt));
  writeResult(folder, summary, responseDistributions(recording));
}
