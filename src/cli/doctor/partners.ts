import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Finding } from './finding.ts';

/** A program that Muster gets along without. */
type Partner = { readonly name: string; readonly programs: readonly string[]; readonly purpose: string };

const PARTNERS: readonly Partner[] = [
  { name: 'nginx', programs: ['nginx'], purpose: 'the sink of npm run bench' },
  { name: 'wrk', programs: ['wrk'], purpose: 'what npm run bench compares with' },
  { name: 'chromium', programs: ['chromium', 'chromium-browser', 'google-chrome'], purpose: 'shows pages and reports' },
  { name: 'java', programs: ['java'], purpose: "runs HdrHistogram's own tools on histograms.hlog" },
  { name: 'nats-server', programs: ['nats-server'], purpose: 'a message bus between machines' },
];

/** Looks for optional programs in the folders of a `PATH`. */
export function partnerFindings(path: string | undefined): readonly Finding[] {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return PARTNERS.map(({ name, programs, purpose }) => {
    const file = programs.flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable);
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
