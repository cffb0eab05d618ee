import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expositionAnswer } from '../src/exposition/answer.ts';
import { createRunFigures, pullFamilies, runFamilies } from '../src/exposition/run-families.ts';
import { serverFamilies } from '../src/monitoring-server/admin/pages.ts';
import { emptyOperationCounts } from '../src/monitoring-server/observations/observer.ts';
import { readRecording } from '../src/results/read.ts';
import { parseText } from './exposition/foreign-parsers.ts';
import { PHASES } from './metrics/recordings.ts';
import { recordedRun } from './results/result.ts';

const DOCUMENT = readFileSync(resolve(import.meta.dirname, '../docs/reference/metrics.md'), 'utf8');

const dashboardSchema = z.object({
  templating: z.object({ list: z.array(z.object({ name: z.string(), definition: z.string().optional() })) }),
  panels: z.array(
    z.object({
      title: z.string(),
      type: z.string(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
    }),
  ),
});

const dashboard = dashboardSchema.parse(
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../examples/grafana/muster.json'), 'utf8')),
);
const targets = dashboard.panels.flatMap(({ title, targets }) => targets.map((target) => ({ title, ...target })));

/** Which scrapers add to every series. */
const ADDED = ['job', 'instance'];

/** What docs/reference/metrics.md says of a metric; tests of the exposition hold its names and types. */
const documented = new Map(
  [...DOCUMENT.matchAll(/^\| `(muster_\w+)` +\| (\w+) +\|([^|]*)\|/gm)].map(([, name = '', type, labels = '']) => {
    const own = /^muster_(server|pulled)_/.test(name) ? [] : ['scenario'];
    const more = [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
    return [name, { type, labels: [...own, ...more] }] as const;
  }),
);

/** The labels by name of series, as a scraper gets them. */
const series = new Map(
  [...documented].flatMap(([name, { type, labels }]): [string, readonly string[]][] =>
    type === 'histogram'
      ? [
          [`${name}_bucket`, [...labels, 'le']],
          [`${name}_sum`, labels],
          [`${name}_count`, labels],
        ]
      : [[name, labels]],
  ),
);

/** What an expression asks for: each selector, and the labels by which it is added up. */
function readExpression(text: string) {
  const selectors = [...text.matchAll(/\b(muster_\w+)\b(?:\{([^}]*)\})?/g)].map(([, name = '', matchers = '']) => ({
    name,
    matched: [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label),
  }));
  const by = [...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '));
  return { selectors, by };
}

/** A run in its third second, a server that got pushes, and one that polls. */
async function exposed() {
  const figures = createRunFigures({ scenario: 'kept', seed: 7, phases: PHASES });
  figures.started(new Date(5000));
  for await (const second of readRecording((await recordedRun()).folder)) {
    if (second.second < 5) figures.add([second]);
  }
  const operations = {
    register: emptyOperationCounts(),
    authorize: emptyOperationCounts(),
    checkdata: emptyOperationCounts(),
    packages: emptyOperationCounts(),
  };
  const counts = {
    ...{ registrations: 7, openConnections: 3, requestsUnderWay: 1, receivedBytes: 4096 },
    ...{ withheld: 2, aborted: 1, internalErrors: 0 },
    answers: { register_agent: {}, submit_checkdata: { 200: 1 }, submit_package_info: {}, other: { 404: 1 } },
  };
  const pulled = { states: { ready: 3 }, exchanged: 3, configured: 3, operations: [] };
  const families = [
    ...runFamilies([figures.read()]),
    ...serverFamilies(counts, { operations, unattributed: 1, shapeFaults: [] }),
    ...pullFamilies(pulled).filter(({ name }) => name.includes('pulled')),
  ];
  return parseText((await expositionAnswer(families, undefined)).body);
}

describe('docs/reference/metrics.md', () => {
  it('names the labels of every series that is exposed', async () => {
    const { samples } = await exposed();
    const seen = Object.keys(samples).map((key) => {
      const [name = '', ...pairs] = key.split(' ');
      return { name, labels: pairs.map((pair) => pair.split('=')[0] ?? '') };
    });
    expect(new Set(seen.map(({ name }) => name)).size).toBeGreaterThan(40);
    expect(seen.filter(({ name, labels }) => labels.join() !== series.get(name)?.toSorted().join())).toEqual([]);
  });
});

describe('examples/grafana/muster.json', () => {
  const definitions = dashboard.templating.list.flatMap(({ definition = '' }) => definition);

  it('asks in every panel for series that are exposed, and for nothing else', () => {
    const graphs = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(graphs.filter(({ targets }) => targets.length === 0)).toEqual([]);
    const asked = targets.map(({ title, expr }) => ({ title, names: readExpression(expr).selectors }));
    expect(asked.filter(({ names }) => names.length === 0)).toEqual([]);
    const unknown = asked.flatMap(({ title, names }) =>
      names.filter(({ name }) => !series.has(name)).map(({ name }) => `${title}: ${name}`),
    );
    expect(unknown).toEqual([]);
    expect(
      definitions
        .join(' ')
        .match(/\bmuster_\w+/g)
        ?.filter((name) => !series.has(name)),
    ).toEqual([]);
  });

  it('selects, adds up and names by labels that these series have', () => {
    const wrong = targets.flatMap(({ title, expr, legendFormat }) => {
      const { selectors, by } = readExpression(expr);
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      const asked = selectors.flatMap(({ name, matched }) =>
        [...matched, ...by, ...named].map((label) => [name, label]),
      );
      // A sum has the labels by which it was added up, and no other.
      const lost = /\bsum\b/.test(expr) ? named.filter((label) => !by.includes(label)) : [];
      return [
        ...asked.filter(([name = '', label = '']) => ![...ADDED, ...(series.get(name) ?? [])].includes(label)),
        ...lost.map((label) => ['a sum', label]),
      ].map(([name, label]) => `${title}: ${name} has no ${label}`);
    });
    expect(wrong).toEqual([]);
  });

  it('shows every metric that docs/reference/metrics.md has', () => {
    const shown = new Set(
      targets.flatMap(({ expr }) => readExpression(expr).selectors.map(({ name }) => name.replace(/_bucket$/, ''))),
    );
    expect(documented.size).toBeGreaterThan(45);
    expect([...documented.keys()].filter((name) => !shown.has(name))).toEqual([]);
  });

  it('takes counters by their rate, and histograms by the rate of their buckets', () => {
    const bare = targets.flatMap(({ expr }) =>
      [...expr.matchAll(/(rate\()?\b(muster_\w+(?:_total|_bucket))\b/g)].flatMap(([, rate, name]) =>
        rate ? [] : name,
      ),
    );
    expect(bare).toEqual([]);
  });

  it('uses the variables that it has, and has none that it does not use', () => {
    const text =
      JSON.stringify(dashboard) + readFileSync(resolve(import.meta.dirname, '../examples/grafana/muster.json'));
    const used = new Set([...text.matchAll(/\$\{?(?!__)(\w+)/g)].map(([, name]) => name));
    expect([...used].toSorted()).toEqual(dashboard.templating.list.map(({ name }) => name).toSorted());
  });

  it('lays no panel over another, and none beyond the grid of 24 columns', () => {
    const cells = dashboard.panels.flatMap(({ title, gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => ({
        title,
        x: x + (n % w),
        cell: `${x + (n % w)},${y + Math.floor(n / w)}`,
      })),
    );
    expect(cells.filter(({ x }) => x >= 24)).toEqual([]);
    const shared = [...Map.groupBy(cells, ({ cell }) => cell).values()].filter(({ length }) => length > 1);
    expect(shared.map((all) => all.map(({ title }) => title))).toEqual([]);
  });
});
