import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../src/kernel/errors.ts';
import { summarise } from '../../src/metrics/results/summary.ts';
import { openResults } from '../../src/run/results.ts';
import { FACTS, recordingOf } from '../metrics/recordings.ts';
import { SMALLEST, scenarioOf } from '../scenario/read-scenario.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-kept-'));
  folders.push(folder);
  return folder;
}

const recording = recordingOf([]);
const summary = summarise(recording, FACTS);

describe('the results of a run', () => {
  it('say what could not be written instead of ending the run', () => {
    const results = openResults(scenarioOf(SMALLEST), FACTS.startedAt, newFolder());
    expect(results.problem()).toBeUndefined();
    rmSync(results.path ?? '', { recursive: true });
    results.finish(summary, recording);
    expect(results.problem()).toContain(`cannot write the results to ${results.path}`);
  });

  it('cannot be opened where nothing can be written, before anything is sent', () => {
    expect(() => openResults(scenarioOf(SMALLEST), FACTS.startedAt, '/dev/null/results')).toThrow(UserError);
  });

  it('have a name also where none are kept', () => {
    const results = openResults(scenarioOf(SMALLEST), FACTS.startedAt, undefined);
    results.append([]);
    results.finish(summary, recording);
    expect([results.runId, results.path, results.problem()]).toEqual([FACTS.runId, undefined, undefined]);
  });
});
