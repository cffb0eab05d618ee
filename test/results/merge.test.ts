import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { UserError } from '../../src/base/kernel/errors.ts';
import { mergeShards } from '../../src/results/merge.ts';
import { rebuild } from '../../src/results/rebuild.ts';
import { newFolder, recordedRun } from './result.ts';

const FIRST = { index: 0, count: 2 };
const SECOND = { index: 1, count: 2 };

const shards = async () => [(await recordedRun(7, FIRST)).folder, (await recordedRun(7, SECOND)).folder] as const;

const textOf = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');

function change(folder: string, file: string, how: (text: string) => string): void {
  writeFileSync(join(folder, file), how(textOf(folder, file)));
}

async function complaint(folders: readonly string[], outDir = newFolder()): Promise<string> {
  const error = await mergeShards(folders, outDir).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  const runs = existsSync(join(outDir, 'kept')) ? readdirSync(join(outDir, 'kept')) : [];
  expect(runs).toEqual([]);
  return folders.reduce((text, folder, index) => text.replaceAll(folder, `DIR${index + 1}`), (error as Error).message);
}

describe('the shards of a run', () => {
  it('merge into the results of one run of the whole fleet, in any order', async () => {
    const whole = await recordedRun();
    const [first, second] = await shards();
    const { path, summary } = await mergeShards([second, first], newFolder());
    const { runId, environment, shards: merged, machines: _machines, ...figures } = summary;
    const {
      runId: _,
      environment: { workers, ...machine },
      ...expected
    } = whole.summary;
    expect(figures).toEqual(expected);
    expect(environment).toEqual({ ...machine, workers: 2 * workers });
    expect([runId, merged?.map(({ number }) => number)]).toEqual(['2026-11-21T10-15-30Z-seed7-merged', [1, 2]]);
    for (const file of ['timeline.ndjson', 'timeline.csv', 'scenario.yaml', 'register.hgrm', 'checkdata.hgrm'])
      expect(textOf(path, file)).toBe(textOf(whole.folder, file));
    const intervals = (folder: string) => textOf(folder, 'histograms.hlog').match(/^Tag=.*$/gm);
    expect(intervals(path)).toEqual(intervals(whole.folder));
    expect(readlinkSync(join(path, '..', 'latest'))).toBe(runId);
  });

  it('show how the machine of each kept up, as it was in its own run, with the end of one that was killed', async () => {
    const [first, killed] = [await recordedRun(7, FIRST), await recordedRun(5, SECOND)];
    const { path, summary } = await mergeShards([killed.folder, first.folder], newFolder());
    expect(summary.machines).toMatchObject([
      { name: '1 of 2', part: 1, agents: 10, workers: 2, fromMs: 0 },
      { name: '2 of 2', part: 2, agents: 10, workers: 2, fromMs: 0, toMs: 5000 },
    ]);
    const validityOf = ({ summary: { validity } }: typeof first) => {
      const { schedulingDelayP99Ms, stalledMs } = validity;
      return { schedulingDelayP99Ms, stalledMs };
    };
    const figures = summary.machines?.map((machine) => machine.figures);
    expect(figures).toMatchObject([first, killed].map(validityOf));
    expect(textOf(path, 'report.html')).toContain('>2 of 2</t');
  });

  it('merge into results that can be rebuilt from their logs', async () => {
    const { path, summary } = await mergeShards(await shards(), newFolder());
    const again = await rebuild(path);
    expect(JSON.stringify(again.summary)).toBe(JSON.stringify(summary));
    expect(JSON.parse(textOf(path, 'summary.json'))).toEqual(JSON.parse(JSON.stringify(summary)));
  });

  it('judge no thresholds, and count only their own agents', async () => {
    const { summary } = await recordedRun(7, SECOND);
    expect(summary.thresholds).toEqual([]);
    expect(summary.shard).toEqual({ number: 2, of: 2 });
    expect(summary.profiles.reduce((sum, { agents }) => sum + agents, 0)).toBe(10);
  });

  it('are incomplete together if one of them was killed', async () => {
    const [first, killed] = [await recordedRun(7, FIRST), await recordedRun(5, SECOND)];
    const { summary } = await mergeShards([first.folder, killed.folder], newFolder());
    const { verdict, elapsedMs } = summary;
    expect([verdict.kind, elapsedMs]).toEqual(['incomplete', 7000]);
    expect(verdict.reasons[0]?.text).toMatch(/^shard 2 of 2: the run was killed .* recorded 5 s of 7 s$/);
  });

  it('are INVALID together if one of them is, however many valid ones there are', async () => {
    const [first, late] = [await recordedRun(7, FIRST), await recordedRun(7, SECOND, 'late')];
    expect([first.summary.verdict.kind, late.summary.verdict.kind]).toEqual(['done', 'invalid']);
    const { path, summary } = await mergeShards([first.folder, late.folder], newFolder());
    const { verdict, validity, shards: parts } = summary;
    expect(verdict.kind).toBe('invalid');
    expect(validity.problems).toEqual(late.summary.validity.problems.map((text) => `shard 2 of 2: ${text}`));
    expect(validity.schedulingDelayP99Ms).toBe(late.summary.validity.schedulingDelayP99Ms);
    expect(parts?.map((part) => part.validity)).toEqual([first.summary.validity, late.summary.validity]);
    expect((await rebuild(path)).summary.verdict).toEqual(verdict);
  });

  it('are TARGET UNREACHABLE together if one of them did not reach the target, whatever the others did', async () => {
    const [first, lost] = [await recordedRun(7, FIRST), await recordedRun(7, SECOND, 'unreachable')];
    expect(lost.summary.verdict.kind).toBe('unreachable');
    const { path, summary } = await mergeShards([first.folder, lost.folder], newFolder());
    expect(summary.verdict.kind).toBe('unreachable');
    expect(summary.verdict.reasons[0]?.text).toBe(
      'shard 2 of 2: none of 70 operations reached the target in 7 s (connection_refused)',
    );
    expect((await rebuild(path)).summary.verdict).toEqual(summary.verdict);
  });

  it('merge with a warning if they did not start together', async () => {
    const [first, second] = await shards();
    change(second, 'histograms.hlog', (text) =>
      text.replace('"startedAt":"2026-11-21T10:15:30', '"startedAt":"2026-11-21T10:15:33'),
    );
    const { summary } = await mergeShards([first, second], newFolder());
    expect(summary.validity.warnings).toEqual([
      'the shards started 3s apart, but the merge aligns their seconds; start them together with --start-at',
    ]);
  });
});

describe('shards that replay a trace', () => {
  const replaying = (folder: string, trace: string, bytes: number): void =>
    change(folder, 'scenario.yaml', (text) => {
      const { phases, ...scenario } = parse(text) as { phases: { name: string; duration: string; exclude: boolean }[] };
      const [enroll, warmUp, { name, duration, exclude } = { name: '', duration: '', exclude: false }] = phases;
      const load = { trace, speed: 1, from: '0s', bytes };
      return stringify({ ...scenario, phases: [enroll, warmUp, { name, duration, exclude, load }] });
    });

  it('may have it in different folders of their machines', async () => {
    const [first, second] = await shards();
    replaying(first, '/home/ann/incident.trace', 1000);
    replaying(second, '/srv/incident.trace', 1000);
    expect((await mergeShards([first, second], newFolder())).summary.scenario).toMatchObject({ name: 'kept' });
  });

  it('are rejected if it is another one', async () => {
    const [first, second] = await shards();
    replaying(first, '/srv/incident.trace', 1000);
    replaying(second, '/srv/incident.trace', 1001);
    expect(await complaint([first, second])).toContain('differ in phases');
  });
});

describe('results that are not all shards of one run', () => {
  it('are rejected, and nothing is written', async () => {
    const [first, second] = await shards();
    expect(await complaint([first])).toBe('Shard 2 of 2 is missing: add its folder.');
    expect(await complaint([second, first, second])).toMatch(/^DIR1 and DIR1 are both shard 2 of 2/);
    expect(await complaint([first, (await recordedRun()).folder])).toMatch(
      /^DIR2 is not a shard: its run had the whole fleet/,
    );
    expect(await complaint([first, (await recordedRun(7, { index: 1, count: 3 })).folder])).toContain(
      'one is a shard of 2, the other of 3',
    );
    const { path } = await mergeShards([first, second], newFolder());
    expect(await complaint([path, first])).toMatch(/^DIR1 is not a shard: its run is already merged/);
  });

  it.each<[string, string, (text: string) => string, string]>([
    ['another scenario', 'scenario.yaml', (text) => text.replace('agents: 20', 'agents: 21'), 'differ in fleet.agents'],
    [
      'another version',
      'histograms.hlog',
      (text) => text.replace('"muster":"0.1.0"', '"muster":"0.2.0"'),
      'one was written by Muster 0.1.0, the other by Muster 0.2.0',
    ],
    [
      'another day',
      'histograms.hlog',
      (text) => text.replace('"startedAt":"2026-11-21', '"startedAt":"2026-11-20'),
      'after the first ended',
    ],
    ['a truncated log', 'histograms.hlog', (text) => text.slice(0, -2000), 'in histograms.hlog, found its end'],
  ])('are rejected for %s', async (_, file, how, words) => {
    const [first, second] = await shards();
    change(second, file, how);
    expect(await complaint([first, second])).toContain(words);
  });
});
