import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import type { TimelineRow } from '../../src/results/timeline.ts';
import { CSV_HEADER, csvLines } from '../../src/results/timeline-csv.ts';
import { problemsOf } from '../scenario/read-scenario.ts';
import { readTimeline } from './read-results.ts';
import { recordedRun } from './result.ts';

const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;
const COUNTS = ['planned', 'started', 'dropped', 'succeeded', 'failed', 'sent_bytes', 'received_bytes'];

type Row = Readonly<Record<string, string>>;

function rowsOf(text: string): Row[] {
  const [header = [], ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  return lines.map((cells) => {
    expect(cells).toHaveLength(header.length);
    return Object.fromEntries(header.map((name, place) => [name, cells[place] ?? '']));
  });
}

/** By phase and operation, in the order of `COUNTS`. */
function sumsOf({ phases }: Summary): Record<string, number[]> {
  const entries = phases.flatMap(({ name, operations }) =>
    operations.map(({ operation, planned, started, dropped, succeeded, failed, sentBytes, receivedBytes }) => [
      `${name} ${operation}`,
      [planned, started, dropped, succeeded, failed, sentBytes, receivedBytes],
    ]),
  );
  return Object.fromEntries(entries);
}

const QUIET: TimelineRow = {
  second: 61,
  agents: { unregistered: 1, waiting: 2, refused: 3, registered: 4, authorized: 5 },
  inFlight: 6,
  listening: 7,
  down: 8,
  listeners: { accepted: 9, late: 1, handshakes: 7, refused: { unknown_ca: 2 }, unanswered: 3 },
  series: [],
  workers: [],
};

describe('timeline.csv', () => {
  it('adds up to the summary', async () => {
    const { folder, summary } = await recordedRun();
    const sums: Record<string, number[]> = {};
    for (const row of rowsOf(readFileSync(join(folder, 'timeline.csv'), 'utf8'))) {
      const key = `${row.phase} ${row.operation}`;
      sums[key] = COUNTS.map((name, place) => (sums[key]?.[place] ?? 0) + Number(row[name]));
    }
    expect(sums).toEqual(sumsOf(summary));
  });

  it.skipIf(!HAS_PYTHON)(
    `adds up to the summary for Python's csv${HAS_PYTHON ? '' : ' (skipped: there is no python3)'}`,
    async () => {
      const { folder, summary } = await recordedRun();
      const args = [join(import.meta.dirname, 'readers/sum_table.py'), join(folder, 'timeline.csv')];
      expect(JSON.parse(execFileSync('python3', args, { encoding: 'utf8' }))).toEqual(sumsOf(summary));
    },
  );

  it('has each second at its UTC time with the latencies and the fleet of the timeline', async () => {
    const { folder } = await recordedRun();
    const rows = rowsOf(readFileSync(join(folder, 'timeline.csv'), 'utf8'));
    const expected = readTimeline(folder).flatMap(({ second, series, agents, inFlight, listening }) =>
      series.map(({ latencyMs }) => ({
        timestamp: `2026-11-21T10:15:3${second}.000Z`,
        response_p50_ms: `${latencyMs.response?.p50}`,
        service_p99_ms: `${latencyMs.service?.p99}`,
        lag_max_ms: `${latencyMs.lag?.max}`,
        delay_max_ms: `${latencyMs.delay?.max}`,
        in_flight: `${inFlight}`,
        agents_authorized: `${agents.authorized}`,
        listening: `${listening}`,
      })),
    );
    expect(rows).toMatchObject(expected);
  });

  it('has a row for an idle second, with zero counts and the fleet', () => {
    expect(rowsOf(`${CSV_HEADER}\n${csvLines(QUIET, Date.UTC(2026, 10, 21))}`)).toEqual([
      expect.objectContaining({
        timestamp: '2026-11-21T00:01:01.000Z',
        second: '61',
        phase: '',
        operation: '',
        planned: '0',
        failed: '0',
        response_p50_ms: '',
        delay_max_ms: '',
        in_flight: '6',
        agents_waiting: '2',
        agents_authorized: '5',
        listening: '7',
        down: '8',
      }),
    ]);
  });

  it.each(['a,b', 'a"b', "a'b", 'a\\nb', ' a', '=a'])('needs no quotes: a phase cannot be named "%s"', (name) => {
    const text = `fleet: { agents: 1 }\nphases: [{ name: "${name.replace('"', '\\"')}", duration: 1s, checkdata: { rate: 1/s } }]`;
    expect(JSON.stringify(problemsOf(text))).toContain('that starts with a letter');
  });
});
