import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exporterScrape } from '../../../src/hosts/checks/exporter-scrape.ts';
import { PROFILE_NAMES } from '../../../src/hosts/profiles.ts';
import { draws } from '../../draws.ts';
import { compilePayloads } from '../host-data.ts';

const OUT = Buffer.alloc(1_000_000);
const NOW_MS = Date.UTC(2026, 0, 31, 12);

const writers = new Map(
  PROFILE_NAMES.map((profile) => [
    profile,
    compilePayloads({ seed: 1, profiles: { [profile]: 1 }, payload: 'typical', checkIntervalSeconds: 30 }),
  ]),
);

function checkdata(profile: string, agent: number, instantMs: number): string {
  return OUT.toString('utf8', 0, writers.get(profile)?.writeCheckdata(OUT, 0, agent, instantMs));
}

/** Samples by name and labels, and the types of their families in the order of the text. */
function read(text: string) {
  const types: [string, string][] = [];
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    const [, name = '', type] = /^# TYPE (\S+) (counter|gauge)$/.exec(line) ?? [];
    if (type !== undefined) types.push([name, type]);
    if (line.startsWith('#')) continue;
    const [, sample = '', value] = /^([a-z_][A-Za-z0-9_]*(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    expect(sample.replace(/\{.*/, ''), line).toBe(types.at(-1)?.[0]);
    samples.set(sample, Number(value));
  }
  return { types, samples };
}

const START = 'process_start_time_seconds';

const anyProfile = fc.constantFrom(...PROFILE_NAMES);
const anyAgent = fc.integer({ min: 0, max: 99 });
const anyInstant = fc.integer({ min: NOW_MS, max: NOW_MS + 30 * 86_400_000 });

describe('the text of an exporter', () => {
  it('has no Go version if the agent is too old to report one', () => {
    const fleet = { seed: 1, profiles: { 'ubuntu-24.04': 1 }, payload: 'lean', checkIntervalSeconds: 30 } as const;
    const writer = compilePayloads({ ...fleet, version: '3.0.10' });
    const text = exporterScrape('node_exporter', OUT.toString('utf8', 0, writer.writeCheckdata(OUT, 0, 3, NOW_MS)));
    expect(text).toContain('node_exporter_build_info{branch="HEAD",goarch="amd64",goos="linux",tags="netgo"} 1\n');
  });

  it("has the host's own figures at the same time", () => {
    fc.assert(
      fc.property(anyProfile, anyAgent, anyInstant, (profile, agent, instantMs) => {
        const text = checkdata(profile, agent, instantMs);
        const { memory, system_load: load, net_io } = JSON.parse(text);
        const { samples } = read(exporterScrape('node_exporter', text));
        expect(samples.get('node_memory_MemTotal_bytes')).toBe(memory.total);
        expect(samples.get('node_memory_MemAvailable_bytes')).toBe(memory.available);
        expect(samples.get('node_load5')).toBe(load?.['1']);
        for (const [device, card] of Object.entries<{ bytes_recv: number }>(net_io)) {
          const name = `node_network_receive_bytes_total{device="${device}"}`;
          expect(samples.get(name)).toBe(card.bytes_recv);
        }
      }),
      { numRuns: draws(12) },
    );
  });

  it('has one start time per process, and counters that do not decrease', () => {
    const later = fc.integer({ min: 1, max: 86_400_000 });
    fc.assert(
      fc.property(anyProfile, anyAgent, anyInstant, later, (profile, agent, atMs, laterMs) => {
        const scrapeAt = (instantMs: number) =>
          read(exporterScrape('node_exporter', checkdata(profile, agent, instantMs)));
        const [before, after] = [scrapeAt(atMs), scrapeAt(atMs + laterMs)];
        const startSeconds = after.samples.get(START) ?? Number.NaN;
        expect(startSeconds).toBeLessThan((atMs + laterMs) / 1000);
        // After a restart of the host, everything starts over.
        fc.pre(startSeconds < atMs / 1000 - 60);
        expect(before.samples.get(START)).toBe(startSeconds);
        // The network card of a container starts with it.
        const counters = [...after.samples].filter(([name]) => /_total(\{|$)/.test(name) && !name.includes('"veth'));
        expect(counters.length).toBeGreaterThan(4);
        for (const [name, value] of counters) expect(before.samples.get(name), name).toBeLessThanOrEqual(value);
      }),
      // The start is exactly between two hundredths of a second.
      { numRuns: draws(12), examples: [['ubuntu-24.04', 74, 1_772_451_366_214, 1]] },
    );
  });

  it('is readable by Prometheus, and sorted by name', () => {
    const text = exporterScrape('mysqld_exporter', checkdata('ubuntu-24.04', 3, NOW_MS));
    expect(text).toMatchInlineSnapshot(`
      "# HELP mysqld_exporter_build_info Always 1, with what the exporter was built from.
      # TYPE mysqld_exporter_build_info gauge
      mysqld_exporter_build_info{branch="HEAD",goarch="amd64",goos="linux",goversion="go1.26.8",tags="netgo"} 1
      # HELP process_cpu_seconds_total CPU time of the exporter in seconds.
      # TYPE process_cpu_seconds_total counter
      process_cpu_seconds_total 1281.7
      # HELP process_network_receive_bytes_total Bytes received by the host.
      # TYPE process_network_receive_bytes_total counter
      process_network_receive_bytes_total 3.5578738042e+10
      # HELP process_network_transmit_bytes_total Bytes sent by the host.
      # TYPE process_network_transmit_bytes_total counter
      process_network_transmit_bytes_total 1.0919731846e+10
      # HELP process_resident_memory_bytes Resident memory of the exporter in bytes.
      # TYPE process_resident_memory_bytes gauge
      process_resident_memory_bytes 1.947648e+07
      # HELP process_start_time_seconds Start of the exporter in seconds since 1970.
      # TYPE process_start_time_seconds gauge
      process_start_time_seconds 1.76802978975e+09
      "
    `);
    const names = read(text).types.map(([name]) => name);
    expect(names).toEqual([...names].sort());
  });

  it('omits figures that the host does not report', () => {
    const { agent } = JSON.parse(checkdata('debian-12', 0, NOW_MS));
    const { samples } = read(
      exporterScrape('node', JSON.stringify({ agent, memory: { error: 'x' }, net_io: { error: 'x' } })),
    );
    expect([...samples.keys()].filter((name) => name.startsWith('node_'))).toEqual([
      expect.stringContaining('node_build_info'),
    ]);
    expect(samples.get('process_network_receive_bytes_total')).toBe(0);
  });
});
