import { describe, expect, it } from 'vitest';
import { spectraOf, summarize } from '../../../src/metrics/summary/summary.ts';
import { readAssets } from '../../../src/report/html/assets.ts';
import { bandsOf } from '../../../src/report/html/charts.ts';
import { type ReportInput, reportPage } from '../../../src/report/html/page.ts';
import type { PageData, TimeChart } from '../../../src/report/html/page-data.ts';
import { FACTS, frameOf, recordingOf, USUAL_LIMITS } from '../../metrics/recordings.ts';
import { longReport, shortReport } from './reports.ts';

const NO_ASSETS = { plotScript: '', pageScript: '', style: '', terms: [] };

function pageOf(input: ReportInput): string {
  return reportPage(input, NO_ASSETS);
}

function dataOf(page: string): PageData {
  return JSON.parse(/<script type="application\/json" id="report-data">(.*)<\/script>/.exec(page)?.[1] ?? '');
}

function timeChart(page: string, id: string): TimeChart {
  const chart = dataOf(page).charts.find((candidate) => candidate.id === id);
  if (chart?.kind !== 'time') throw new Error(`no chart ${id}`);
  return chart;
}

function sumOfLine(chart: TimeChart, label: string): number {
  const values = chart.lines.find((line) => line.label === label)?.values ?? [];
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

describe('a report', () => {
  it('matches the golden page', async () => {
    await expect(pageOf(shortReport())).toMatchFileSnapshot('golden/report.html');
  });

  it('shows host clocks instead of UTC if a scenario sets them', () => {
    const input = shortReport();
    const hostClock = { factor: 144, startedAt: '2026-11-12T06:00:00.000Z' };
    const page = pageOf({ ...input, summary: { ...input.summary, hostClock } });
    expect(page).toContain('144 times as fast, from 2026-11-12 06:00:00 UTC');
    expect(page).toMatch(/<th scope="col">hosts(&#39;|') clocks<\/th>/);
    // The second phase begins two seconds into the run.
    expect(page).toContain('06:04:48');
    const { startedAtMs, clockFactor } = dataOf(page);
    expect([startedAtMs, clockFactor]).toEqual([Date.parse(hostClock.startedAt), 144]);
  });

  it('names the verdict in its title, for the tabs of a browser', () => {
    expect(pageOf(shortReport())).toContain(
      '<title>• DONE, without thresholds, with a warning · steady · Muster</title>',
    );
  });

  it('adds up the operations in a last row and in a first chart', () => {
    const { summary, ...input } = shortReport();
    const page = pageOf({ summary, ...input });
    const [, row = ''] = /<th scope="row"><strong>all<\/strong><\/th>(.*?)<\/tr>/.exec(page) ?? [];
    const values = [...row.matchAll(/<data value="([^"]+)">/g)].map((match) => Number(match[1]));
    const sum = (key: 'planned' | 'succeeded' | 'failed' | 'dropped') =>
      summary.overall.reduce((all, entry) => all + entry[key], 0);
    expect(values.slice(0, 5)).toEqual([sum('planned'), sum('succeeded'), sum('failed'), 0, sum('dropped')]);
    // 230 successes in the 6 s of the counted phases, not the rates of 2 s and of 4 s together.
    expect([values[5], summary.succeededPerSecond]).toEqual([38.333, 38.333]);
    expect(page).toContain('<dt>ok/s</dt><dd><data value="38.333">38.3</data></dd>');
    const overview = timeChart(page, 'overview');
    const shown = ['register', 'checkdata'].map((operation) => sumOfLine(overview, operation));
    expect(shown).toEqual(
      ['register', 'checkdata'].map((operation) => sumOfLine(timeChart(page, `${operation}-throughput`), 'ok')),
    );
  });

  it('is the same text for the same run', () => {
    expect(pageOf(shortReport())).toBe(pageOf(shortReport()));
  });

  it('shows every figure of the summary with its exact value', () => {
    const input = shortReport();
    const page = pageOf(input);
    for (const { operation, planned, succeeded, failed, dropped, latencyMs } of input.summary.overall) {
      const row =
        page.split('\n').find((line) => line.includes(`<th scope="row"><code>${operation}</code></th>`)) ?? '';
      const start = row.indexOf(`<code>${operation}</code>`);
      const values = [...row.slice(start).matchAll(/<data value="([^"]+)">/g)].map((match) => Number(match[1]));
      const { p50, p95, p99, p999, max } = latencyMs.response ?? {};
      expect(values.slice(0, 5)).toEqual([planned, succeeded, failed, 0, dropped]);
      expect(values.slice(6, 11)).toEqual([p50, p95, p99, p999, max]);
    }
  });

  it('lists the machines of the fleet, lost ones first', () => {
    const { summary, ...input } = shortReport();
    const clock = { clockOffsetMs: -0.44, clockErrorMs: 0.5 };
    const machines = [
      { name: 'east-1', part: 1, agents: 500, workers: 4, ...clock, fromMs: 0 },
      { name: 'east-2', part: 2, agents: 500, workers: 4, ...clock, fromMs: 0, toMs: 6000 },
    ];
    expect(pageOf({ summary, ...input })).not.toContain('unseen">Machines<');
    const table = /unseen">Machines<.*?<\/table>/s.exec(pageOf({ ...input, summary: { ...summary, machines } }))?.[0];
    const rows = [...(table ?? '').matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row.replaceAll(/<[^>]+>/g, ' '));
    expect(rows[1]).toMatch(/east-2 .*lost at 6s .*-0\.4 ± 0\.5 ms/);
    expect(rows[2]).toMatch(/east-1 .*the end/);
  });

  it('draws as many operations as the summary counts', () => {
    const input = shortReport();
    const page = pageOf(input);
    for (const operation of ['register', 'checkdata']) {
      const chart = timeChart(page, `${operation}-throughput`);
      const entries = input.summary.phases.flatMap((phase) =>
        phase.operations.filter((entry) => entry.operation === operation),
      );
      for (const [label, key] of [
        ['planned', 'planned'],
        ['ok', 'succeeded'],
        ['failed', 'failed'],
        ['dropped', 'dropped'],
      ] as const) {
        expect(sumOfLine(chart, label)).toBe(entries.reduce((sum, entry) => sum + entry[key], 0));
      }
    }
    expect(sumOfLine(timeChart(page, 'checkdata-failures'), 'http_503')).toBe(10);
  });

  it('draws the rates of a partial last second over its actual length', () => {
    const { history, ...rest } = shortReport();
    const page = pageOf({ ...rest, history: { ...history, seconds: 7.25 } });
    const planned = timeChart(page, 'checkdata-throughput').lines.find(({ label }) => label === 'planned')?.values;
    expect(planned?.slice(-2)).toEqual([41, 32.8]);
  });

  it('has percentiles of answered operations, and says how many got no answer', () => {
    const refused = { outcome: 'connection_refused', serviceMs: 1 } as const;
    const frame = frameOf(3, [...Array.from({ length: 9 }, () => refused), { outcome: 'http_500', serviceMs: 80 }]);
    const recording = recordingOf([frame]);
    const { summary, spectra, ...rest } = shortReport();
    expect(summary.overall[0]).not.toHaveProperty('answeredMs');
    const judged = { ...summary, overall: summarize(recording, FACTS).overall };
    const page = pageOf({ ...rest, summary: judged, spectra: spectraOf(recording) });
    const [, row = ''] = /<tbody><tr>(.*?)<\/tr>/.exec(page) ?? [];
    expect([...row.matchAll(/<data value="[^"]+">([^<]+)</g)].map(([, text]) => text)).toEqual([
      '10',
      '0',
      '10',
      '9',
      '0',
      '0.0',
      ...Array.from({ length: 5 }, () => '80.1 ms'),
    ]);
    expect(page).toContain('9 of 10 operations got no answer');
    expect(judged.overall[0]).toMatchObject({
      latencyMs: { response: { count: 10, p50: 1 }, unanswered: { count: 9, max: 1 } },
      answeredMs: { count: 1 },
    });
    const spectrum = dataOf(page).charts.find(({ id }) => id === 'checkdata-spectrum');
    const lines = spectrum?.kind === 'spectrum' ? spectrum.lines : [];
    const lowest = lines.map(({ label, values }) => [label, Math.min(...values.flatMap((value) => value ?? []))]);
    expect(lowest).toEqual(
      expect.arrayContaining([
        ['unanswered', 1],
        ['response', expect.closeTo(80, 0)],
      ]),
    );
  });

  it('explains every heading, fact and chart with the glossary', () => {
    const page = reportPage(shortReport(), { ...NO_ASSETS, terms: readAssets().terms });
    const [head = '', glossary = ''] = page.split('<section aria-labelledby="glossary">');
    const plain = [...head.matchAll(/(?:<th scope="col">|<dt>|<figcaption>)([^<]+)</g)].map(([, text]) => text);
    // These are not terms.
    expect(new Set(plain)).toEqual(new Set(['start', 'from', 'to', 'UTC']));
    const linked = [...head.matchAll(/<a class="term" href="#([^"]+)"/g)].map(([, id]) => id);
    expect(linked.length).toBeGreaterThan(50);
    for (const id of linked) expect(glossary).toContain(`<dd id="${id}">`);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
    expect(glossary).toContain('<dd id="term-planned">arrivals that were picked up: planned = started + dropped</dd>');
  });

  it('lists the counts of each address of a target with several, with every heading explained', () => {
    const { summary, ...rest } = shortReport();
    const target = { host: 'mon.example', port: 443, failedDials: 0, failed: 0 };
    const addresses = [
      { ...target, address: '192.0.2.7', connections: 12, requests: 300 },
      { ...target, address: '192.0.2.8', connections: 4, requests: 100, failed: 3, failedDials: 2 },
    ];
    const assets = { ...NO_ASSETS, terms: readAssets().terms };
    const page = reportPage({ ...rest, summary: { ...summary, addresses } }, assets);
    const [, section = ''] = /<section aria-labelledby="addresses">([\s\S]*?)<\/section>/.exec(page) ?? [];
    const rows = [...section.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/ +/g, ' ')
        .trim(),
    );
    expect(rows.slice(1)).toEqual([
      '192.0.2.7:443 (mon.example) 12 0 300 75% 0',
      '192.0.2.8:443 (mon.example) 4 2 100 25% 3',
    ]);
    expect(section).not.toMatch(/<th scope="col">[^<]/);
    expect(reportPage({ ...rest, summary }, assets)).not.toContain('Addresses of the target');
  });

  it('explains every outcome and drop reason', () => {
    const report = shortReport();
    const outcomes = { ok: 1, http_503: 1, timeout: 1, malformed_answer: 1, client_gone: 1 };
    const dropReasons = { agent_busy: 1, not_registered: 1 };
    const overall = report.summary.overall.map((entry) => ({ ...entry, outcomes, dropReasons }));
    const page = reportPage(
      { ...report, summary: { ...report.summary, overall } },
      { ...NO_ASSETS, terms: readAssets().terms },
    );
    const codes = [...page.matchAll(/<td><code class="(?:good|bad)">(.*?)<\/code>/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(6);
    expect(codes.filter((code) => !code?.startsWith('<a class="term"'))).toEqual([]);
    expect(page).toContain('<a class="term" href="#term-http-nnn" aria-describedby="term-http-nnn">http_503</a>');
  });

  it('draws bytes sent and received', () => {
    const bytes = timeChart(pageOf(shortReport()), 'checkdata-bytes');
    expect(bytes.lines.map(({ label, values }) => [label, values])).toEqual([
      ['sent', [0, 0, 4000, 4000, 4000, 4000, 4000]],
      ['received', [0, 0, 400, 400, 400, 400, 400]],
    ]);
  });

  it("draws the counts of clients at agents' ports only if there are any", () => {
    const { history, ...rest } = shortReport();
    expect(pageOf({ history, ...rest })).not.toContain('id="chart-clients"');
    const intervals = history.intervals.map((interval, second) => {
      const refused = { unknown_ca: 1, plain_http: second };
      const listeners = { accepted: 9, late: 0, handshakes: 3, refused, unanswered: second === 6 ? 2 : 0 };
      return { ...interval, listeners };
    });
    const clients = timeChart(pageOf({ history: { ...history, intervals, seconds: 6.5 }, ...rest }), 'clients');
    expect(clients.lines.map(({ label, values }) => [label, values])).toEqual([
      ['accepted', [9, 9, 9, 9, 9, 9, 18]],
      ['handshakes', [3, 3, 3, 3, 3, 3, 6]],
      ['refused', [1, 2, 3, 4, 5, 6, 14]],
      ['unanswered', [0, 0, 0, 0, 0, 0, 4]],
    ]);
  });

  it.each([
    ['from the defaults', USUAL_LIMITS, [100, 95], ['limit 100ms', 'limit 95%', '>20% of a window<']],
    [
      'from the scenario',
      { schedulingDelayMs: 20, leaveOutShare: 0.03, busyShare: 0.75, collectionShare: 0.5 },
      [20, 75],
      ['limit 20ms', 'limit 75%', '>20.0 ms<', '>3.0% of a window<', '>75%<', '>50%<'],
    ],
  ])("shows the generator's limits %s", (_, limits, drawn, texts) => {
    const page = pageOf(shortReport({ limits }));
    expect(['scheduling-delay', 'busiest-loop'].map((id) => timeChart(page, id).limit)).toEqual(drawn);
    for (const text of texts) expect(page).toContain(text);
  });

  it('lists whether each judged operation and phase is valid, invalid ones first, and why not', () => {
    const limits = { ...USUAL_LIMITS, schedulingDelayMs: 0.65 };
    const { summary: valid, ...rest } = shortReport({ limits });
    const found = 'in steady garbage collection took too long';
    const phases = valid.validity.phases.map((one) => (one.phase === 'steady' ? { ...one, problems: [found] } : one));
    const summary = { ...valid, validity: { ...valid.validity, phases, problems: [found] } };
    const page = pageOf({ summary, ...rest });
    const [, table = ''] = /aria-label="Table: Validity[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/.exec(page) ?? [];
    const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
      row.replace(/<\/t[hd]>/g, '|').replace(/<[^>]*>/g, ''),
    );
    const [problem = ''] = summary.validity.problems;
    expect(problem).toMatch(/^in steady /);
    const [, generator = ''] = page.split('<h2 id="generator">');
    expect(generator).toContain(`<li>${problem}</li>`);
    expect(rows.slice(1)).toEqual([
      '✗ invalid steady|✗ invalid checkdata|4|0.80 ms|0.80 ms|0.00 ms|0.00 ms|45%|0%|',
      '✓ valid enroll|✓ valid register|2|0.30 ms|0.30 ms|0.00 ms|0.00 ms|5.0%|0%|',
    ]);
  });

  it('says of a generator that kept up only that it did as far as the run is counted, if a part is missing', () => {
    const { summary: whole, ...rest } = shortReport({});
    const verdict = { kind: 'incomplete' as const, reasons: [{ kind: 'incomplete' as const, text: 'a loss' }] };
    const part = pageOf({ summary: { ...whole, verdict }, ...rest });
    expect(part).toContain('Valid:</strong> as far as the run was counted, the generator kept up');
    expect(part).not.toContain('so they describe the target');
  });

  it('links to each of its sections and to the charts of each operation', () => {
    const page = pageOf(shortReport());
    const [, contents = ''] = /<nav class="contents"[\s\S]*?>([\s\S]*?)<\/nav>/.exec(page) ?? [];
    const linked = [...contents.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    const sections = [...page.matchAll(/<section aria-labelledby="([^"]+)"/g)].map(([, id]) => id);
    expect(linked.filter((id) => !id?.startsWith('time-'))).toEqual(sections);
    expect(linked).toEqual(expect.arrayContaining(['figures', 'scenario', 'time-register', 'time-checkdata']));
    for (const id of linked) expect(page).toContain(`id="${id}"`);
  });

  it('shows the result of a threshold first in its row', () => {
    const { summary, ...rest } = shortReport();
    const threshold = { kind: 'delivery', figure: 'lost', text: 'lost == 0', observed: 3, unit: 'operations' } as const;
    const page = pageOf({ ...rest, summary: { ...summary, thresholds: [{ ...threshold, passed: false }] } });
    expect(page).toMatch(/<th scope="row"><strong class="bad">✗/);
  });

  it('shows when each phase began and ended, in the run and by the wall clock', () => {
    const rows = [...pageOf(shortReport()).matchAll(/<tr><th scope="row">(\d \S+)<\/th>(.*?)<\/tr>/g)];
    expect(rows.map(([, name, cells = '']) => [name, cells.replaceAll(/<\/?td>/g, ' ').trim()])).toEqual([
      ['1 enroll', '0s  2s  10:15:30  yes'],
      ['2 warm-up', '2s  3s  10:15:32  no'],
      ['3 steady', '3s  7s  10:15:33  yes'],
    ]);
  });

  it('escapes text from users', () => {
    const { summary, ...rest } = shortReport();
    const phases = summary.phases.map((phase) => ({ ...phase, name: '</script><b>&amp;' }));
    const page = pageOf({ ...rest, summary: { ...summary, scenarioName: '<img src=x onerror=alert(1)>', phases } });
    expect(page).not.toContain('<img');
    expect(page).not.toContain('</script><b>');
    expect(page).toContain('<h1>&lt;img src=x onerror=alert(1)&gt;</h1>');
    expect(dataOf(page).bands[0]?.label).toBe('</script><b>&amp;');
  });

  it('shows the evidence of failures, escaped', () => {
    const { summary, ...rest } = shortReport();
    const seen = { head: 'HTTP/1.1 503 X\nServer: nginx', body: '<script>alert(1)</script>' };
    const one = {
      phase: 'steady',
      operation: 'checkdata',
      outcome: 'http_503',
      agent: 7,
      atMs: 3210,
      ...seen,
    } as const;
    const page = pageOf({ ...rest, summary: { ...summary, evidence: [one] } });
    expect(page).toContain('agent 7 at 3.21s: HTTP/1.1 503 X · &lt;script&gt;');
    expect(page).toContain('Server: nginx\n\n&lt;script&gt;alert(1)&lt;/script&gt;</pre>');
    expect(pageOf({ ...rest, summary: { ...summary, evidence: [] } })).not.toContain('id="evidence"');
  });

  it('has no external references', () => {
    const page = reportPage(shortReport(), readAssets());
    expect(page).not.toMatch(/\b(?:src|href)="(?!data:|#)|@import|url\(/);
    expect(page).toContain("default-src 'none'");
  });

  it('has a placeholder for each chart and a chart for each placeholder', () => {
    const page = pageOf(shortReport());
    const places = [...page.matchAll(/<figure class="chart \w+" id="chart-([^"]+)"/g)].map((match) => match[1]);
    expect(places.toSorted()).toEqual(
      dataOf(page)
        .charts.map(({ id }) => id)
        .toSorted(),
    );
    expect(places).toContain('checkdata-heat');
  });

  it('of ten hours with five operations is smaller than 5 MB', () => {
    const size = Buffer.byteLength(reportPage(longReport(), readAssets()));
    expect(size).toBeLessThan(5_000_000);
    expect(size).toBeGreaterThan(1_000_000);
  });
});

describe('the bands of a report', () => {
  const bandsWith = (scenario: Record<string, unknown>) =>
    bandsOf({ ...shortReport().summary, scenario }).filter(({ kind }) => kind === 'fault' || kind === 'event');

  it('are phases, faults and events at their times', () => {
    expect(bandsOf(shortReport().summary)).toEqual([
      { kind: 'phase', label: 'enroll', fromSeconds: 0, toSeconds: 2 },
      { kind: 'excluded', label: 'warm-up', fromSeconds: 2, toSeconds: 3 },
      { kind: 'phase', label: 'steady', fromSeconds: 3, toSeconds: 7 },
      { kind: 'fault', label: 'outage', fromSeconds: 4, toSeconds: 5.5 },
      { kind: 'event', label: 'disk-full', fromSeconds: 2, toSeconds: 7 },
    ]);
  });

  it('show each occurrence of an event until its end for the last agent, under its name', () => {
    const events = [
      { do: 'stop', name: 'wave', at: '1s', for: '500ms', over: '500ms', repeat: { every: '2s', times: 9 } },
      { do: 'restart', name: 'restart-1', at: '5s' },
    ];
    expect(bandsWith({ events }).map(({ label, fromSeconds, toSeconds }) => [label, fromSeconds, toSeconds])).toEqual([
      ['wave', 1, 2],
      ['wave', 3, 4],
      ['wave', 5, 6],
      ['restart-1', 5, 5],
    ]);
  });

  it('end with the run, and omit what would have come later', () => {
    const faults = [
      { do: 'freeze', at: '6s', for: '1h' },
      { do: 'reset', at: '7s', for: '1s' },
      { do: 'forget', at: '3s', share: 1 },
    ];
    expect(bandsWith({ target: { faults } })).toEqual([
      { kind: 'fault', label: 'freeze', fromSeconds: 6, toSeconds: 7 },
      { kind: 'fault', label: 'forget', fromSeconds: 3, toSeconds: 3 },
    ]);
  });

  it('are empty for a scenario without any', () => {
    expect(bandsWith({})).toEqual([]);
  });
});
