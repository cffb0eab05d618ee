import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Diagnosis } from './diagnosis.ts';

/** A program that Muster gets along without. */
type Partner = { readonly name: string; readonly purpose: string };

const PARTNERS: readonly Partner[] = [
  { name: 'nginx', purpose: 'the sink of npm run bench' },
  { name: 'wrk', purpose: 'what npm run bench compares with' },
  { name: 'java', purpose: "runs HdrHistogram's own tools on histograms.hlog" },
];

/** Looks for optional programs in the folders of a `PATH`. */
export function partnerDiagnoses(path: string | undefined): readonly Diagnosis[] {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return PARTNERS.map(({ name, purpose }) => {
    const file = folders.map((folder) => join(folder, name)).find(isExecutable);
    return {
      mark: file === undefined ? 'absent' : 'good',
      what: name,
      found: file ?? 'not found',
      meaning: purpose,
      remedy: '',
    };
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
