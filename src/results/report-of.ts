import type { Recording } from '../metrics/merging/measurement.ts';
import type { History } from '../metrics/results/history.ts';
import { spectraOf } from '../metrics/results/spectrum.ts';
import type { Summary } from '../metrics/results/summary-schema.ts';
import { readAssets } from '../report/html/assets.ts';
import { reportPage } from '../report/html/page.ts';

/** The text of `report.html`, at the end of a run and when it is read back. */
export function reportOf(summary: Summary, recording: Recording, history: History): string {
  return reportPage({ summary, history, spectra: spectraOf(recording) }, readAssets());
}
