import { describe, expect, it } from 'vitest';
import type { Trend, TrendRun } from '../../../src/metrics/comparing/trend.ts';
import { trendPage } from '../../../src/report/html/comparison-page.ts';
import { table } from '../../../src/report/html/markup.ts';
import { reportPage } from '../../../src/report/html/page.ts';
import { manyPhases, shortReport } from './reports.ts';

const NO_ASSETS = { plotScript: '', pageScript: '', style: '', terms: [] };

function count(page: string, tag = '[a-z]'): number {
  return [...page.matchAll(new RegExp(`<${tag}`, 'g'))].length;
}

function trendOf(runs: number): Trend {
  const figures = { rate: 5, errors: 0, p50: 1, p95: 2, p99: 3 };
  const runOf = (_: unknown, index: number): TrendRun => ({
    runId: `run${index}`,
    folder: 'results/a',
    startedAt: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString(),
    muster: '0.1.0',
    verdict: index % 7 === 0 ? 'threshold_crossed' : 'pass',
    changes: [],
    figures: { register: figures, checkdata: { ...figures, p99: index } },
  });
  return { scenarioName: 'steady', operations: ['register', 'checkdata'], runs: Array.from({ length: runs }, runOf) };
}

describe('the history of five thousand runs', () => {
  const page = trendPage([trendOf(5000)], () => 'report.html');

  it('has the newest runs in its tables, a thousand rows in all, and says so', () => {
    expect(count(page, 'tr>')).toBe(1002);
    expect(page).toContain('>run4999<');
    expect(page).not.toContain('>run4499<');
    expect(page).toContain('The charts show all 5000 runs, the tables the newest 500');
  });

  it('draws all runs, with one shape for all marks of a tone', () => {
    const [chart = ''] = page.match(/<svg class="curve"[\s\S]*?<\/svg>/) ?? [];
    expect(count(chart, 'path')).toBe(2);
    expect(chart.match(/M/g)).toHaveLength(5000);
    expect(chart).toContain('5000 values, the first 2026-01-01');
    expect(count(page)).toBeLessThan(15_000);
  });

  it('has every run of a few hundred in its tables', () => {
    const small = trendPage([trendOf(400)], () => 'report.html');
    expect(count(small, 'tr>')).toBe(802);
    expect(small.includes('the tables the newest')).toBe(false);
  });
});

describe('a report of ten thousand events', () => {
  it('has the worst thousand of their recoveries', () => {
    const { summary, ...rest } = shortReport();
    const recoveries = Array.from({ length: 10_000 }, (_, n) => ({
      event: `event${n}`,
      fromMs: n,
      toMs: n + 1,
      ...(n === 9000 ? { unobserved: 'never' } : { timeMs: n }),
    }));
    const page = reportPage({ ...rest, summary: { ...summary, recoveries } }, NO_ASSETS);
    const named = [...page.matchAll(/<code>event(\d+)<\/code>/g)].map(([, n]) => Number(n));
    expect(named).toHaveLength(1000);
    expect(named.slice(0, 3)).toEqual([9000, 9999, 9998]);
    expect(page).toContain('These are the first 1000 of 10000 rows; summary.json has all.');
    expect(count(page)).toBeLessThan(15_000);
  });
});

describe('a report of a thousand phases', () => {
  it('has the figures of the first hundred, and says so', () => {
    const page = reportPage(manyPhases(1000), NO_ASSETS);
    expect(page).toContain('These are the first 100 of 1000 phases; summary.json has all.');
    expect(count(page, 'h3>step-')).toBe(100);
    expect(reportPage(manyPhases(100), NO_ASSETS)).not.toContain('These are the first');
  });
});

it('a table of a thousand rows has all of them', () => {
  const rows = Array.from({ length: 1000 }, (_, n) => [String(n)]);
  expect(count(table('all', ['n'], rows).markup, 'tr>')).toBe(1001);
});
