import { resolve } from 'node:path';
import { summaryText } from '../../report/summary-text.ts';
import { writeConclusion } from '../../results/conclusion.ts';
import { type Rebuilt, rebuild } from '../../results/rebuild.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import type { ReportFlags } from '../flags/reports.ts';
import type { Io } from '../io.ts';
import { openMachineReports } from '../output/machine-reports.ts';
import { pageFor } from '../output/palette-choice.ts';

export type ReportRequest = ReportFlags & { readonly folder: string; readonly json: boolean };

export async function report({ folder, json, junit }: ReportRequest, io: Io): Promise<ExitCode> {
  const reports = openMachineReports({ junit }, io);
  const path = resolve(io.cwd, folder);
  const rebuilt = await rebuild(path);
  if (rebuilt.kind === 'rebuilt') await writeConclusion(path, rebuilt);
  show(rebuilt, { folder, json }, io);
  reports.write([rebuilt.summary]);
  return exitCodeOf(rebuilt.summary.verdict.kind);
}

function show({ kind, summary }: Rebuilt, { folder, json }: { folder: string; json: boolean }, io: Io): void {
  if (kind === 'as_written') {
    io.stderr.write(`The logs of ${folder} do not say how the run ended: its summary.json is shown as it is.\n`);
  }
  const rebuiltFolder = kind === 'rebuilt' ? folder : undefined;
  const text = json ? `${JSON.stringify(summary)}\n` : summaryText(summary, rebuiltFolder, pageFor(io.stdout, io.env));
  io.stdout.write(text);
}
