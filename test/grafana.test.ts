import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { expositionAnswer } from '../src/outputs/exposition/families.ts';
import { createRunFigures, pullFamilies, runFamilies } from '../src/outputs/exposition/run-families.ts';
import { serverFamilies } from '../src/server/admin/pages.ts';
import { emptyOperationCounts } from '../src/server/observations/observer.ts';
import { PHASES } from './metrics/recordings.ts';
import { parseText } from './outputs/exposition/foreign-parsers.ts';
import { recordedRun, secondsIn } from './results/result.ts';

const DOCUMENT = readFileSync(resolve(import.meta.dirname, '../docs/reference/metrics.md'), 'utf8');

const dashboardSchema = z.object({
  annotations: z.object({
    list: z.array(z.object({ enable: z.boolean(), expr: z.string(), titleFormat: z.string(), textFormat: z.string() })),
  }),
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

/** Labels that scrapers add to every series. */
const ADDED = ['job', 'instance'];

/** The metrics in docs/reference/metrics.md. Tests of the exposition check their names and types. */
const documented = new Map(
  [...DOCUMENT.matchAll(/^\| `(muster_\w+)` +\| (\w+) +\|([^|]*)\|/gm)].map(([, name = '', type, labels = '']) => {
    const own = /^muster_(server|pulled)_/.test(name) ? [] : ['scenario'];
    const more = [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
    return [name, { type, labels: [...own, ...more] }] as const;
  }),
);

/** Labels by name of series, as scraped. */
const scraped = new Map(
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

/** Latencies that arrive over OTLP, as Prometheus stores them. All other metrics have the same names and labels as when scraped. */
const native = new Map(
  [...documented].flatMap(([name, { type, labels }]) =>
    type === 'histogram' && !name.startsWith('muster_server_') ? [[name, labels] as const] : [],
  ),
);

const series = new Map([...scraped, ...native]);

/** A series in an expression. */
type Selector = {
  readonly name: string;
  /** The labels that select it. */
  readonly matched: readonly string[];
  /** The labels by which it is aggregated; `undefined` if it is not. */
  readonly by: readonly string[] | undefined;
  /** Whether it is a range vector, as `rate` requires. */
  readonly isRange: boolean;
};

/** The series in an expression, and its syntax errors. */
function readExpression(written: string): {
  readonly selectors: readonly Selector[];
  readonly slips: readonly string[];
} {
  const text = written.replaceAll(/\$__(rate_interval|range)/g, '1m');
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }) => text.slice(from, to);
  const selectors: Selector[] = [];
  const slips: string[] = [];
  const groupings: (readonly string[])[] = [];
  parser.parse(text).iterate({
    enter: ({ node, type, from }) => {
      if (type.isError) slips.push(text.slice(0, from));
      if (type.name === 'AggregateExpr') {
        const labels = node.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
        groupings.push(labels.map(textOf));
      }
      if (type.name !== 'VectorSelector') return;
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      selectors.push({
        name: node.getChildren('Identifier').map(textOf).join(''),
        matched: matchers.flatMap((matcher) => matcher.getChildren('LabelName').map(textOf)),
        by: groupings.at(-1),
        // The last value of a gauge is one of its values.
        isRange: node.parent?.name === 'MatrixSelector' && !/_over_time\($/.test(text.slice(0, from)),
      });
    },
    leave: ({ type }) => {
      if (type.name === 'AggregateExpr') groupings.pop();
    },
  });
  return { selectors, slips };
}

/** The mistakes in an expression, as sentences. */
function mistakesIn(expr: string): string[] {
  const { selectors, slips } = readExpression(expr);
  return [
    ...slips.map((before) => `is no PromQL behind ${before}`),
    ...selectors.flatMap(({ name, matched, by = [], isRange }) => {
      const labels = series.get(name);
      if (labels === undefined) return [`there is no ${name}`];
      const strange = [...matched, ...by].filter((label) => ![...ADDED, ...labels].includes(label));
      const grows = /_(total|bucket|sum|count)$/.test(name) || native.has(name);
      return [
        ...strange.map((label) => `${name} has no ${label}`),
        ...(grows === isRange ? [] : [`${name} is ${grows ? 'counted since the start' : 'not counted'}`]),
      ];
    }),
  ];
}

/** Metrics of a run in its third second, of a server that received pushes, and of a server that polls. */
async function exposed() {
  const figures = createRunFigures({ scenario: 'kept', seed: 7, phases: PHASES });
  figures.started(new Date(5000));
  for (const second of await secondsIn((await recordedRun()).folder)) {
    if (second.second < 5) figures.add([second]);
  }
  const operations = {
    register: emptyOperationCounts(),
    authorize: emptyOperationCounts(),
    checkdata: emptyOperationCounts(),
    packages: emptyOperationCounts(),
  };
  const counts = {
    registrations: 7,
    openConnections: 3,
    requestsInFlight: 1,
    receivedBytes: 4096,
    withheld: 2,
    aborted: 1,
    internalErrors: 0,
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
  it('lists the labels of every exposed series', async () => {
    const { samples } = await exposed();
    const seen = Object.keys(samples).map((key) => {
      const [name = '', ...pairs] = key.split(' ');
      return { name, labels: pairs.map((pair) => pair.split('=')[0] ?? '') };
    });
    expect(new Set(seen.map(({ name }) => name)).size).toBeGreaterThan(40);
    expect(seen.filter(({ name, labels }) => labels.join() !== scraped.get(name)?.toSorted().join())).toEqual([]);
  });
});

it('docs/reference/metrics.md contains only valid PromQL, with existing series and labels', () => {
  const [, questions = ''] = /## Questions in PromQL\n\n```text\n(.*?)```/s.exec(DOCUMENT) ?? [];
  const expressions = questions.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(expressions.length).toBeGreaterThan(4);
  expect(expressions.flatMap(mistakesIn)).toEqual([]);
});

describe('examples/grafana/muster.json', () => {
  const definitions = dashboard.templating.list.flatMap(({ definition = '' }) => definition);

  it('contains in every panel valid PromQL, with existing series and labels', () => {
    const graphs = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(graphs.filter(({ targets }) => targets.length === 0)).toEqual([]);
    expect(targets.filter(({ expr }) => readExpression(expr).selectors.length === 0)).toEqual([]);
    expect(targets.flatMap(({ title, expr }) => mistakesIn(expr).map((mistake) => `${title}: ${mistake}`))).toEqual([]);
    const named = definitions.join(' ').match(/\bmuster_\w+/g) ?? [];
    expect(named.filter((name) => !series.has(name))).toEqual([]);
  });

  it('shows the events of kept fleets as annotations, named by labels that their series keeps', () => {
    const [events, ...others] = dashboard.annotations.list;
    expect([others, events?.enable, mistakesIn(events?.expr ?? '')]).toEqual([[], true, []]);
    const [selector] = readExpression(events?.expr ?? '').selectors;
    expect(selector?.name).toBe('muster_event_active');
    const named = `${events?.titleFormat} ${events?.textFormat}`.match(/(?<=\{\{)\w+/g) ?? [];
    expect(named).toContain('event');
    expect(selector?.by).toEqual(expect.arrayContaining(named));
  });

  it('is rejected if an expression has a mistake', () => {
    expect(mistakesIn('sum(rate(muster_agent_handshakes_total[1m])')).toHaveLength(1);
    expect(mistakesIn('sum(muster_agents{job="a"})')).toEqual([]);
    expect(mistakesIn('sum by (phase) (muster_agents{how="x"})')).toEqual([
      'muster_agents has no how',
      'muster_agents has no phase',
    ]);
    expect(mistakesIn('muster_agent')).toEqual(['there is no muster_agent']);
    expect(mistakesIn('muster_sent_bytes_total')).toEqual(['muster_sent_bytes_total is counted since the start']);
    expect(mistakesIn('rate(muster_agents[1m])')).toEqual(['muster_agents is not counted']);
  });

  it('uses only labels in legends that remain after aggregation', () => {
    const lost = targets.flatMap(({ title, expr, legendFormat }) => {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      return readExpression(expr).selectors.flatMap(({ name, by }) =>
        named.filter((label) => !(by ?? series.get(name) ?? []).includes(label)).map((label) => `${title}: ${label}`),
      );
    });
    expect(lost).toEqual([]);
  });

  it('queries latencies both as scraped and as sent over OTLP', () => {
    const names = (expr: string) => readExpression(expr).selectors.map(({ name }) => name);
    const asked = targets.map(({ expr }) => names(expr));
    for (const name of native.keys()) {
      const both = asked.filter((each) => each.includes(name) || each.includes(`${name}_bucket`));
      expect(both.length, name).toBeGreaterThan(0);
      expect(new Set(both.map((each) => each.toSorted().join()))).toEqual(new Set([`${name},${name}_bucket`]));
    }
  });

  it('shows every metric in docs/reference/metrics.md', () => {
    const shown = new Set(
      targets.flatMap(({ expr }) => readExpression(expr).selectors.map(({ name }) => name.replace(/_bucket$/, ''))),
    );
    expect(documented.size).toBeGreaterThan(45);
    expect([...documented.keys()].filter((name) => !shown.has(name))).toEqual([]);
  });

  it('uses exactly the variables that it defines', () => {
    const text =
      JSON.stringify(dashboard) + readFileSync(resolve(import.meta.dirname, '../examples/grafana/muster.json'));
    const used = new Set([...text.matchAll(/\$\{?(?!__)(\w+)/g)].map(([, name]) => name));
    expect([...used].toSorted()).toEqual(dashboard.templating.list.map(({ name }) => name).toSorted());
  });

  it('has no overlapping panels, and none beyond the grid of 24 columns', () => {
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

it('the alert rules in examples are valid PromQL over documented metrics', () => {
  const file = readFileSync(resolve(import.meta.dirname, '../examples/prometheus-alerts.yml'), 'utf8');
  const { groups } = parseYaml(file) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const known = [...series.keys(), 'up', 'process_resident_memory_bytes'];
  for (const { alert, expr } of groups.flatMap(({ rules }) => rules)) {
    const errors: string[] = [];
    parser
      .parse(expr)
      .iterate({ enter: ({ type, from }) => void (type.isError && errors.push(`${alert} at ${from}`)) });
    expect(errors).toEqual([]);
    const names = [...expr.matchAll(/\b(?:muster|process)_\w+|\bup\b/g)].map(([name]) => name);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  }
});
