import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import { junitXml } from '../../src/report/junit.ts';
import { stepSummary } from '../../src/report/markdown.ts';
import { COLORED, PLAIN } from '../../src/report/palette.ts';
import { quietText, summaryText } from '../../src/report/summary-text.ts';
import {
  badSummary,
  goodSummary,
  invalidSummary,
  polledSummary,
  twoPhaseSummary,
  unreachableSummary,
} from './summaries.ts';

const RESULTS = 'results/steady/2026-11-21T10-15-30Z-seed1';
const CASES = {
  good: goodSummary,
  bad: badSummary,
  invalid: invalidSummary,
  unreachable: unreachableSummary,
  polled: polledSummary,
};
const cases = Object.entries(CASES);

describe('the summary at the end of a run', () => {
  it('lists the machines of the fleet and how they kept up, lost ones first, then the latest', () => {
    const clocks = { clockOffsetMs: -0.44, clockErrorMs: 0.5 };
    const figures = {
      startedPerSecond: 40,
      schedulingDelayP99Ms: 450,
      stalledMs: 800,
      busiestLoopUtilization: 0.97,
      usedCores: 1.4,
    };
    const machines = [
      { name: 'a', part: 1, agents: 500, workers: 4, ...clocks, fromMs: 0 },
      { name: 'b', part: 2, agents: 500, workers: 4, ...clocks, fromMs: 0, toMs: 6000 },
      {
        name: 'c',
        part: 2,
        agents: 500,
        workers: 2,
        ...clocks,
        clockOffsetMs: 12,
        fromMs: 21_000,
        natsMs: 3.2,
        figures,
      },
    ];
    expect(summaryText({ ...goodSummary(), machines }, undefined, { ...PLAIN, columns: 120 })).toContain(
      [
        '  machines    b: part 2, 500 agents until it was lost at 6s, 4 workers, clock -0.4 ± 0.5 ms',
        '              c: part 2, 500 agents from 21s on, 2 workers, 40.0/s, scheduling delay p99 450 ms,',
        '              longest stall 800 ms, busiest worker 97%, cores used 1.40, clock +12.0 ± 0.5 ms, NATS',
        '              3.20 ms',
        '              a: part 1, 500 agents, 4 workers, clock -0.4 ± 0.5 ms',
      ].join('\n'),
    );
    const many = Array.from({ length: 9 }, (_, n) => ({
      ...clocks,
      name: `m${n}`,
      part: n + 1,
      agents: 9,
      workers: 1,
      fromMs: 0,
    }));
    expect(summaryText({ ...goodSummary(), machines: many }, undefined, PLAIN)).toContain('and 4 more');
  });

  it('lists the counts of each address of a target with several, and of no single one', () => {
    const target = { host: 'mon.example', port: 443, failedDials: 0, failed: 0 };
    const addresses = [
      { ...target, address: '192.0.2.7', connections: 1200, requests: 36_000 },
      { ...target, address: '2001:db8::7', connections: 1, requests: 1, failed: 1, failedDials: 2 },
      { ...target, host: '192.0.2.9', address: '192.0.2.9', connections: 0, requests: 0 },
    ];
    const wide = { ...PLAIN, columns: 120 };
    expect(summaryText({ ...goodSummary(), addresses }, undefined, wide)).toContain(
      [
        '  addresses   192.0.2.7:443 (mon.example): 1,200 connections, 36,000 requests',
        '              [2001:db8::7]:443 (mon.example): 1 connection, 1 request, 1 failed, 2 dials failed',
        '              192.0.2.9:443: 0 connections, 0 requests',
      ].join('\n'),
    );
    expect(summaryText(goodSummary(), undefined, wide)).not.toContain('addresses');
  });

  it('shows how many connections use HTTP/2 if others do not', () => {
    const target = { host: 'mon.example', port: 443, failedDials: 0, failed: 0, requests: 90, connections: 9 };
    const textOf = (http1: number) => {
      const addresses = [{ ...target, address: '192.0.2.7', protocols: { http1, http2: 4 } }];
      return summaryText({ ...goodSummary(), addresses }, undefined, { ...PLAIN, columns: 120 });
    };
    expect(textOf(5)).toContain('addresses   192.0.2.7:443 (mon.example): 9 connections, 4 of HTTP/2, 90 requests\n');
    expect(textOf(0)).toContain('addresses   192.0.2.7:443 (mon.example): 9 connections, 90 requests\n');
  });

  it('says that a threshold ended the run, in addition to its line among the thresholds', () => {
    const text = 'a threshold ended the run early, after 3 s of 7 s: checkdata p(99) < 250ms: observed 400ms';
    const { verdict, ...rest } = badSummary();
    const [first] = verdict.reasons;
    const ended: Summary = {
      ...rest,
      verdict: { ...verdict, reasons: [{ kind: 'threshold_crossed', text }, ...verdict.reasons] },
    };
    const crossed = first?.text ?? '';
    const told = [
      summaryText(ended, undefined, { ...PLAIN, columns: 200 }),
      stepSummary(ended).replaceAll('\\', ''),
      junitXml([ended]),
    ];
    for (const each of told) expect(each.replaceAll('&lt;', '<').replaceAll(/\s+/g, ' ')).toContain(text);
    expect(told[0]).not.toContain(`    ${crossed}`);
    expect(told[2]).toMatch(
      /name="the run completed" time="[\d.]+">\n *<failure message="a threshold ended the run early/,
    );
  });

  it.each(cases)('matches the golden file of the %s run', async (name, summaryOf) => {
    await expect(summaryText(summaryOf(), RESULTS, PLAIN)).toMatchFileSnapshot(`golden/summary-${name}.txt`);
  });

  it('says of a generator that kept up only that it did as far as the run is counted, if a part is missing', () => {
    const reasons = [{ kind: 'incomplete', text: 'worker 1 was lost' }] as const;
    const summary: Summary = { ...goodSummary(), verdict: { kind: 'incomplete', reasons: [...reasons] } };
    expect(summaryText(summary, RESULTS, PLAIN)).toContain('generator   ✓ valid as far as counted · ');
    expect(summaryText(goodSummary(), RESULTS, PLAIN)).toContain('generator   ✓ valid · ');
  });

  it('matches the golden file in colors', async () => {
    await expect(summaryText(badSummary(), RESULTS, COLORED)).toMatchFileSnapshot('golden/summary-bad-colored.txt');
  });

  it.each(cases)('of the %s run is the same with and without colors', (_, summaryOf) => {
    const colored = summaryText(summaryOf(), RESULTS, COLORED);
    expect(stripVTControlCharacters(colored)).toBe(summaryText(summaryOf(), RESULTS, PLAIN));
  });

  it.each(cases)('of the %s run fits the terminal, or 80 columns without one', (_, summaryOf) => {
    for (const columns of [undefined, 80, 60, 50]) {
      const lines = summaryText(summaryOf(), undefined, { ...PLAIN, columns }).split('\n');
      expect(lines.filter((line) => line.length > (columns ?? 80))).toEqual([]);
    }
  });

  it('fits the terminal if a server answers with long words and double-width characters', () => {
    const summary = badSummary();
    const body = `{"${'a'.repeat(200)}":"${'測'.repeat(50)}👩‍👩‍👧`;
    const evidence = summary.evidence.map((one) => ({ ...one, body }));
    for (const columns of [80, 50]) {
      const page = { ...PLAIN, columns };
      for (const text of [
        summaryText({ ...summary, evidence }, undefined, page),
        quietText({ ...summary, evidence }, page),
      ]) {
        const lines = text.split('\n').filter((line) => !line.startsWith('steady: '));
        expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
        expect(lines.map((line) => line.trim()).join('')).toContain(`${'a'.repeat(200)}":"${'測'.repeat(40)}`);
      }
    }
  });

  it('has no remedy after a run that passed', () => {
    const failure = { phase: 'steady', operation: 'checkdata', outcome: 'http_401', agent: 1, atMs: 1 } as const;
    expect(summaryText({ ...goodSummary(), evidence: [failure] }, RESULTS, PLAIN)).not.toContain('remedy');
  });

  it('matches the golden file for a narrow terminal', async () => {
    const text = summaryText(badSummary(), RESULTS, { ...PLAIN, columns: 60 });
    await expect(text).toMatchFileSnapshot('golden/summary-narrow.txt');
  });

  it('matches the golden file for phases that differ', async () => {
    await expect(summaryText(twoPhaseSummary(), RESULTS, PLAIN)).toMatchFileSnapshot('golden/summary-phases.txt');
  });

  it('has a line for each invalid phase with the figures beyond the limits of the scenario, and counts the others', () => {
    const { validity, ...rest } = invalidSummary();
    const [part] = validity.phases;
    if (part === undefined) throw new Error('nothing was judged');
    const late = part.operations.map((entry) => ({
      ...entry,
      operation: 'packages' as const,
      schedulingDelayP99Ms: 40,
    }));
    const invalid = Array.from({ length: 9 }, (_, n) => ({
      ...part,
      phase: `late-${n}`,
      collectionShare: 0.31,
      stalledMs: 5000,
      operations: [...part.operations, ...late],
    }));
    const valid = { ...part, phase: 'quiet', problems: [] };
    const closed = {
      ...valid,
      phase: 'asked',
      operations: [],
      stalledMs: 0,
      busiestLoopUtilization: 0.13,
      problems: ['shard 2 of 2: in asked 288 connections to agents were closed because of that; do this'],
    };
    const limits = { ...validity.limits, schedulingDelayMs: 20 };
    const summary = { ...rest, validity: { ...validity, limits, phases: [valid, closed, ...invalid] } };
    const text = summaryText(summary, undefined, { ...PLAIN, columns: 100 });
    const lines = text.split(/\n +(?=[✗✓])/).map((line) => line.replace(/\s+/g, ' ').trim());
    expect(lines).toContain(
      '✗ late-0: authorize p99 396 ms, packages p99 40.0 ms, limit 20.0 ms · stalled 5,000 ms · busiest worker 99% · garbage collection 31%',
    );
    expect(lines.slice(lines.indexOf('✗ and 2 more phases')).slice(0, 2)).toEqual([
      '✗ and 2 more phases',
      expect.stringMatching(/^✓ 1 other phase/),
    ]);
    expect(lines).toContain('✗ asked: 288 connections to agents were closed because of that · busiest worker 13%');
    expect(lines.filter((line) => line.includes('quiet'))).toEqual([]);
  });

  it('hides the query of the URL and shows one line of the question', () => {
    const scenario = { description: 'Is it\n  fast?\n', target: { url: 'https://push.example/?key=s3cret' } };
    const text = summaryText({ ...goodSummary(), scenario }, undefined, PLAIN);
    expect(text).toContain('  Is it fast?\n  target https://push.example/?…\n');
  });

  it('omits the 95th percentile if the largest figures leave no room for it', () => {
    const [, operation] = goodSummary().overall;
    if (operation === undefined) throw new Error('the good run has two operations');
    const slowest = { ...operation.latencyMs.response, p50: 9999, p95: 9999.4, p99: 99_949, max: 3_600_000 };
    const large = {
      ...operation,
      planned: 1e9,
      succeeded: 999_999,
      failed: 999_999_999,
      succeededPerSecond: 999_999,
      latencyMs: { response: { ...slowest, count: 1, min: 1, mean: 1, p75: 1, p90: 1, p999: 1 } },
    };
    const text = summaryText({ ...goodSummary(), overall: [large] }, undefined, PLAIN);
    const row = text.split('\n').find((line) => line.includes('checkdata '));
    expect(row?.trim().split(/(?<!\d) +| +(?!ms|s\b)/)).toEqual([
      'checkdata',
      '1.00G',
      '999,999',
      '1.00G',
      '0',
      '999,999',
      '9,999 ms',
      '99.9 s',
      '3,600 s',
    ]);
    expect(row?.length).toBeLessThanOrEqual(80);
  });
});

describe('the output with --quiet', () => {
  const { evidence } = badSummary();

  it('includes the evidence after a bad verdict or a warning', () => {
    const text = quietText(badSummary(), PLAIN);
    expect(text).toMatch(
      /^steady: ✗ THRESHOLD CROSSED: .*\n {2}evidence {4}checkdata http_503, first by agent 7 at 3\.21s/,
    );
    expect(text).toMatch(/HTTP\/1\.1 503 Service Unavailable ·\n? *<h1>\\u001b\[2J503<\/h1>\n/);
    const warned = quietText({ ...goodSummary(), evidence, warnings: ['every push failed'] }, PLAIN);
    expect(warned).toMatch(/^steady: ✓ PASS, with a warning: every push failed\n {2}evidence /);
  });

  it('is one line if the verdict is good or there is no evidence', () => {
    expect(quietText({ ...goodSummary(), evidence }, PLAIN)).toBe('steady: ✓ PASS\n');
    expect(quietText({ ...badSummary(), evidence: [] }, PLAIN).split('\n')).toHaveLength(2);
  });
});
