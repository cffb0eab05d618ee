import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { writeConclusion } from '../../src/results/conclusion.ts';
import { readResultScenario } from '../../src/results/read.ts';
import { rebuild } from '../../src/results/rebuild.ts';
import { formatScenario } from '../../src/scenario/file.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { newFolder, recordedRun } from './result.ts';

const LOGS = ['histograms.hlog', 'timeline.ndjson', 'scenario.yaml'];

function changed(folder: string, file: string, change: (text: string) => string): void {
  writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
}

const contents = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

async function complaint(folder: string): Promise<string> {
  const error = await rebuild(folder).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message.replaceAll(folder, 'DIR');
}

describe('a completed run', () => {
  it('is rebuilt to the same bytes from its logs and its scenario alone', async () => {
    const { folder } = await recordedRun();
    const copy = newFolder();
    for (const name of LOGS) copyFileSync(join(folder, name), join(copy, name));
    const rebuilt = await rebuild(copy);
    if (rebuilt.kind !== 'rebuilt') throw new Error('expected to be rebuilt');
    await writeConclusion(copy, rebuilt);
    expect(contents(copy)).toEqual(contents(folder));
    expect(Object.keys(contents(copy))).toContain('checkdata.hgrm');
  });

  it('has the same files if its histograms were written by the JavaScript library, as those of older runs', async () => {
    const { folder } = await recordedRun();
    const copy = newFolder();
    for (const name of LOGS) copyFileSync(join(folder, name), join(copy, name));
    changed(copy, 'histograms.hlog', (text) =>
      text.replaceAll(/(?<=^Tag=.*,)[^,\n]+$/gm, (payload) =>
        encodeIntoCompressedBase64(decodeFromCompressedBase64(payload)),
      ),
    );
    const { 'histograms.hlog': old } = contents(copy);
    const rebuilt = await rebuild(copy);
    if (rebuilt.kind !== 'rebuilt') throw new Error('expected to be rebuilt');
    await writeConclusion(copy, rebuilt);
    const { 'histograms.hlog': own, ...files } = contents(folder);
    expect(contents(copy)).toEqual({ ...files, 'histograms.hlog': old });
    expect(old).not.toBe(own);
  });

  it('is read without its secrets, whichever it had', () => {
    const scenario = scenarioOf(`
target: { urls: ["http://127.0.0.1:8?a", "http://127.0.0.1:9?b"], apiKey: a, proxy: "http://user:password@127.0.0.1:7" }
fleet: { agents: 2 }
webServer: { listen: "127.0.0.1:20000+", basicAuth: "user:password" }
phases: [{ name: steady, duration: 9s, checkdata: { every: 3s } }]
events: [{ do: retarget, at: 1s, apiKey: b }, { do: retarget, at: 2s, apiKey: c }]
`);
    const folder = newFolder();
    writeFileSync(join(folder, 'scenario.yaml'), formatScenario(scenario));
    expect(formatScenario(readResultScenario(folder))).toBe(formatScenario(scenario));
  });

  it('has the counts of several addresses, from the first second with more than one', async () => {
    const { folder, summary } = await recordedRun();
    const target = { host: 'mon.example', port: 443 };
    expect(summary.addresses).toEqual([
      {
        ...target,
        address: '192.0.2.7',
        connections: 11,
        failedDials: 0,
        requests: 140,
        failed: 12,
        protocols: { http1: 6, http2: 5 },
      },
      { ...target, address: '192.0.2.10', connections: 1, failedDials: 1, requests: 1, failed: 0 },
    ]);
    const rows = readFileSync(join(folder, 'timeline.ndjson'), 'utf8').trim().split('\n');
    const told = rows.map((row) => (JSON.parse(row) as { addresses?: unknown[] }).addresses?.length);
    expect(told).toEqual([undefined, undefined, 2, 2, 2, 2, 2]);
  });

  it('keeps its summary if its log does not say how it ended', async () => {
    const { folder, summary } = await recordedRun();
    changed(folder, 'histograms.hlog', (text) => text.replace(/^#\[End: .*\n/m, ''));
    expect(await rebuild(folder)).toEqual({ kind: 'as_written', summary: JSON.parse(JSON.stringify(summary)) });
  });
});

describe('a run that was killed', () => {
  it('is rebuilt from its logs, even if a report was made while it was still running', async () => {
    const { folder } = await recordedRun(5);
    const whole = Object.fromEntries(LOGS.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
    const { folder: early } = await recordedRun(2);
    const stale = await rebuild(early);
    if (stale.kind !== 'rebuilt') throw new Error('expected to be rebuilt');
    await writeConclusion(folder, stale);
    for (const [name, text] of Object.entries(whole)) writeFileSync(join(folder, name), text);
    expect(stale.summary.elapsedMs).toBe(2000);
    expect(await rebuild(folder)).toMatchObject({ kind: 'rebuilt', summary: { elapsedMs: 5000 } });
  });

  it('is incomplete, with all recorded seconds', async () => {
    const { folder } = await recordedRun(5);
    const { summary } = await rebuild(folder);
    expect(summary).toMatchObject({
      verdict: {
        kind: 'incomplete',
        reasons: [
          { text: 'the run was killed or is still running: it recorded 5 s of 7 s' },
          { kind: 'threshold_crossed' },
          { kind: 'threshold_crossed' },
          { kind: 'threshold_crossed', text: expect.stringContaining('cohort:web') },
        ],
      },
      elapsedMs: 5000,
      endedAt: '2026-11-21T10:15:35.000Z',
      overall: [
        { operation: 'register', planned: 40 },
        { operation: 'checkdata', planned: 40, latencyMs: { response: { count: 40 } } },
      ],
      events: [{ name: 'wave', do: 'restart', agents: 7, fromMs: 2000, toMs: 2500, resumedMs: [6100] }],
    });
  });

  it('excludes the partially written last second', async () => {
    const { folder } = await recordedRun(5);
    const whole = await rebuild(folder);
    const log = readFileSync(join(folder, 'histograms.hlog'), 'utf8').split('\n');
    const next = log.filter((line) => line.includes(';steady;') && line.includes(',4.000,'));
    expect(next).toHaveLength(5);
    for (const line of next) appendFileSync(join(folder, 'histograms.hlog'), `${line.replace(',4.000,', ',5.000,')}\n`);
    appendFileSync(join(folder, 'histograms.hlog'), next[0]?.slice(0, 60) ?? '');
    appendFileSync(join(folder, 'timeline.ndjson'), '{"second":5,"agents":{"unr');
    const rebuilt = await rebuild(folder);
    expect(rebuilt.summary).toEqual(whole.summary);
    if (rebuilt.kind !== 'rebuilt') throw new Error('expected to be rebuilt');
    await writeConclusion(folder, rebuilt);
    const table = readFileSync(join(folder, 'timeline.csv'), 'utf8').trim().split('\n');
    expect(table.map((line) => line.split(',')[1])).toEqual(['second', '0', '1', '2', '3', '4']);
  });
});

describe('a folder that cannot be read', () => {
  it('is not a result if files are missing, and names them', async () => {
    const empty = newFolder();
    writeFileSync(join(empty, 'scenario.yaml'), 'name: x');
    expect(await complaint(empty)).toBe(
      'DIR is not a result of a run: histograms.hlog, timeline.ndjson are missing; ' +
        'choose a folder written by muster run, such as results/quickstart/latest.',
    );
    expect(await complaint(join(empty, 'none'))).toContain('no such folder');
    expect(await complaint(join(empty, 'scenario.yaml'))).toContain('it is a file');
  });

  it.each(LOGS)('is rejected if there is a folder instead of %s', async (name) => {
    const { folder } = await recordedRun();
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
    expect(await complaint(folder)).toBe(
      `DIR/${name}: expected a file written by muster run, found a folder or a device; remove it.`,
    );
  });

  it('is rejected for a line without an end, without reading all of it', async () => {
    const { folder } = await recordedRun();
    truncateSync(join(folder, 'timeline.ndjson'), 3 * 2 ** 30);
    expect(await complaint(folder)).toBe(
      'DIR/timeline.ndjson:8: expected a line written by muster run, found one without an end.',
    );
  });

  it.each<[string, string, (text: string) => string, RegExp]>([
    [
      'a log with a damaged histogram',
      'histograms.hlog',
      (text) => text.replace(/^(Tag=.*,).{40}/m, '$1AAAA'),
      /^DIR\/histograms.hlog:7: expected a histogram written by muster run, found an error: .*\.$/,
    ],
    [
      'a log with a damaged histogram at its end',
      'histograms.hlog',
      (text) =>
        text.replace('"responses":[]', '"responses":[{"profile":"p","operation":"checkdata","histogram":"AAAA"}]'),
      /^DIR\/histograms.hlog: expected a histogram written by muster run, found an error: .*\.$/,
    ],
    [
      'a timeline with a damaged histogram of a cohort',
      'timeline.ndjson',
      (text) => text.replace(/"histograms":\{"response":"[^"]*"/, '"histograms":{"response":"////////fwI="'),
      /^DIR\/timeline.ndjson:1: expected a histogram written by muster run, found an error: .*\.$/,
    ],
    [
      'a timeline whose counts of a cohort contradict each other',
      'timeline.ndjson',
      (text) => text.replace(/("cohorts":\["low"\].*?"planned":)\d+/, '$1999'),
      /^DIR: expected the counts of timeline.ndjson as written, but register in phase enroll lost operations: planned \d+/,
    ],
    [
      'a truncated log',
      'histograms.hlog',
      (text) => text.slice(0, -3000),
      /timeline.ndjson:\d: expected .* found its end;/,
    ],
    [
      'a log with a missing line',
      'histograms.hlog',
      (text) => text.replace(/^Tag=.*;service.*\n/m, ''),
      /timeline.ndjson:1: .* in line 9; the files are from different runs/,
    ],
    [
      'a log with an invalid line',
      'histograms.hlog',
      (text) => text.replace('\nTag=', '\nTug='),
      /^DIR\/histograms.hlog:7: expected an interval/,
    ],
    [
      'a truncated timeline',
      'timeline.ndjson',
      (text) => text.slice(0, -50),
      /^DIR\/histograms.hlog:39: timeline.ndjson ends before second 6, the log at second 6/,
    ],
    [
      'a timeline with an invalid line',
      'timeline.ndjson',
      (text) => text.replace('{', '['),
      /^DIR\/timeline.ndjson:1: expected one second/,
    ],
    [
      'a timeline whose counts contradict each other',
      'timeline.ndjson',
      (text) => text.replace(/"planned":\d+/, '"planned":999'),
      /^DIR: expected the counts of timeline.ndjson as written, but register in phase enroll lost operations: planned \d+/,
    ],
    [
      'a log of a run that began at no time',
      'histograms.hlog',
      (text) => text.replace(/"startedAt":"[^"]*"/, '"startedAt":"noon"'),
      /: startedAt: expected a valid ISO datetime, found "noon"\.$/,
    ],
    [
      'a timeline with other members',
      'timeline.ndjson',
      (text) => text.replace('"agents"', '"bees"'),
      /^DIR\/timeline.ndjson:1: expected one second/,
    ],
    [
      'the scenario of another run',
      'scenario.yaml',
      (text) => text.replaceAll('warm-up', 'cold'),
      /contains the phase warm-up, which scenario.yaml does not have/,
    ],
    ['an invalid scenario', 'scenario.yaml', () => 'phases: 7', /scenario.yaml:1:9: phases/],
    [
      'a newer log',
      'histograms.hlog',
      (text) => text.replace('"schemaVersion":3', '"schemaVersion":4'),
      /schema version 4, but this Muster reads 3: a newer Muster wrote it; update Muster/,
    ],
    [
      'a newer summary',
      'summary.json',
      (text) => text.replace('"schemaVersion": 3', '"schemaVersion": 4'),
      /summary.json has schema version 4/,
    ],
    [
      'a log that does not name its run',
      'histograms.hlog',
      (text) => text.replace(/^#\[Run: .*\n/m, ''),
      /histograms.hlog has no header of its run/,
    ],
    ['a truncated summary', 'summary.json', (text) => text.slice(0, 200), /summary.json: expected JSON/],
  ])('is reported with %s, and nothing changes', async (_, file, change, words) => {
    const { folder } = await recordedRun();
    changed(folder, file, change);
    const before = contents(folder);
    expect(await complaint(folder)).toMatch(words);
    expect(contents(folder)).toEqual(before);
  });
});
