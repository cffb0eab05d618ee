import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { WHOLE_FLEET } from '../../src/load/shard.ts';
import type { RunEnd } from '../../src/results/histogram-log.ts';
import { rebuild } from '../../src/results/rebuild.ts';
import { openResults, type Results } from '../../src/results/write.ts';
import { FACTS, frameOf, recordingOf } from '../metrics/recordings.ts';
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
const END: RunEnd = {
  endedAt: FACTS.endedAt.toISOString(),
  elapsedMs: recording.elapsedMs,
  reasons: [],
  delivery: FACTS.delivery,
  responses: [],
  events: [],
};

function open(outDir: string | undefined): Results {
  const { startedAt, environment } = FACTS;
  return openResults({ scenario: scenarioOf(SMALLEST), shard: WHOLE_FLEET, startedAt, environment, outDir });
}

describe('the results of a run', () => {
  it('report what could not be written instead of ending the run', async () => {
    const results = open(newFolder());
    expect(results.problem()).toBeUndefined();
    rmSync(results.path ?? '', { recursive: true });
    await results.conclude(recording, END);
    expect(results.problem()).toContain(`cannot write the results to ${results.path}`);
  });

  it('have the same members in the same order if they are rebuilt, however a cluster describes its machines', async () => {
    const results = open(newFolder());
    const load = { loadAverage: 1, cores: 2 };
    const machines = [{ load, fromMs: 0, workers: 1, part: 1, agents: 2, name: 'a' }];
    const { machines: concluded } = await results.conclude(recordingOf([]), { ...END, machines });
    const rebuilt = await rebuild(results.path ?? '');
    if (rebuilt.kind !== 'rebuilt') throw new Error('expected to be rebuilt');
    expect(JSON.stringify(concluded)).toBe(JSON.stringify(rebuilt.summary.machines));
  });

  it('contain every file that could be written, and no temporary ones', async () => {
    const results = open(newFolder());
    const path = results.path ?? '';
    for (const name of ['report.html', 'timeline.csv', 'checkdata.hgrm']) mkdirSync(join(path, name));
    await results.conclude(recordingOf([frameOf(1, [{}])]), END);
    expect(results.problem()).toContain('cannot write the results to');
    expect(readdirSync(path)).toContain('summary.json');
    expect(readdirSync(path).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('cannot be opened in an unwritable folder, before anything is sent', () => {
    expect(() => open('/dev/null/results')).toThrow(UserError);
  });

  it('have a run ID even if they are not kept', async () => {
    const results = open(undefined);
    results.append([]);
    const { runId } = await results.conclude(recording, END);
    expect([runId, results.path, results.problem()]).toEqual([FACTS.runId, undefined, undefined]);
  });
});
