import { responseDistributions } from '../metrics/results/summary.ts';
import { writeResult } from '../storage/result-folder.ts';
import type { Rebuilt } from './rebuild.ts';

/** Writes what a run writes at its end into its folder, each file whole or not at all. Throws `UserError`. */
export function writeRebuilt(folder: string, { summary, recording }: Extract<Rebuilt, { kind: 'rebuilt' }>): void {
  writeResult(folder, summary, responseDistributions(recording));
}
