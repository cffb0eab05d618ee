import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OptionalChecks } from '../../src/hosts/host/configuration.ts';
import { draws } from '../draws.ts';
import { anyCase, anyRunningCase, type Case, checkdata, goText, type Parsed } from './any-machine.ts';
import { checkdataOf } from './host-data.ts';

const RUNS = { numRuns: draws(20) };
const CONTAINER =
  `id name image size_rw size_root_fs state status network_rx network_tx cpu_percentage memory_percentage
  disk_read disk_write memory_used`.split(/\s+/);

function withChecks(one: Case, checks: OptionalChecks): Case {
  const { seed, profiles, checkIntervalSeconds } = one.fleet;
  return { ...one, fleet: { seed, profiles, checkIntervalSeconds, payload: 'lean', checks } };
}

function each(checks: OptionalChecks, claim: (document: Parsed, one: Case) => void): void {
  fc.assert(
    fc.property(anyRunningCase, (any) => {
      const one = withChecks(any, checks);
      claim(checkdata(one), one);
    }),
    RUNS,
  );
}

describe('optional checks', () => {
  it('do not change any byte of other checks, except for lists with processes and packages of guests', () => {
    const sets: readonly OptionalChecks[] = [
      { docker: 9 },
      { customchecks: 3, prometheus_exporters: 2 },
      { libvirt: 2 },
    ];
    fc.assert(
      fc.property(anyCase, fc.constantFrom(...sets), (one, checks) => {
        const without = checkdataOf(withChecks(one, {}).fleet, one.agent, one.instantMs) as Parsed;
        const having = checkdataOf(withChecks(one, checks).fleet, one.agent, one.instantMs) as Parsed;
        const guests = checks.customchecks === undefined ? ['processes', 'systemd_services', 'packagemanager'] : [];
        const own = [...Object.keys(checks), ...guests, 'ntp'];
        for (const key of Object.keys(without).filter((name) => !own.includes(name))) {
          expect(goText(having[key])).toBe(goText(without[key]));
        }
      }),
      RUNS,
    );
  });

  it('are empty or absent by default', () => {
    each({}, (document) => {
      expect([document.customchecks, document.prometheus_exporters]).toEqual([{}, []]);
      for (const key of ['docker', 'libvirt', 'windows_eventlog']) expect(document).not.toHaveProperty(key);
    });
  });

  it('can remove the sensors of a Linux host', () => {
    const fleet = { seed: 1, profiles: { 'debian-12': 1 }, payload: 'lean', checkIntervalSeconds: 30 } as const;
    const at = { agent: 4, instantMs: 1_790_000_000_000 };
    expect(checkdata({ fleet, ...at })).toHaveProperty('sensors');
    expect(checkdata({ fleet: { ...fleet, checks: { sensors: false } }, ...at })).not.toHaveProperty('sensors');
  });
});

describe('containers', () => {
  it("have all their fields in order, unique names and IDs, and memory relative to the host's", () => {
    each({ docker: 13 }, ({ docker, memory }) => {
      expect(docker.length).toBeLessThanOrEqual(13);
      for (const container of docker) {
        expect(Object.keys(container)).toEqual(CONTAINER);
        expect(container.id).toMatch(/^[0-9a-f]{10}$/);
        expect(container.name).toMatch(/^\//);
        expect(container.status).toMatch(/^Up (\d+ (second|seconds|minutes|hours|days|weeks|months)|About an? |Less)/);
        expect(container.memory_percentage).toBe((container.memory_used / memory.total) * 100);
      }
      for (const key of ['id', 'name']) {
        expect(new Set(docker.map((container: Parsed) => container[key])).size).toBe(docker.length);
      }
    });
  });

  it('are listed in a different order each time, with counters that do not decrease', () => {
    const orders = new Set<string>();
    each({ docker: 5 }, (second, one) => {
      const first = checkdata({ ...one, instantMs: one.instantMs - 30_000 });
      const before = new Map(first.docker.map((container: Parsed) => [container.id, container]));
      orders.add(second.docker.map(({ name }: Parsed) => name).join());
      if (second.agent.system_uptime < first.agent.system_uptime) return;
      for (const after of second.docker) {
        const earlier = before.get(after.id) as Parsed;
        for (const key of ['network_rx', 'network_tx', 'disk_read', 'disk_write']) {
          expect(after[key]).toBeGreaterThanOrEqual(earlier?.[key] ?? 0);
        }
      }
    });
    expect(orders.size).toBeGreaterThan(5);
  });
});

describe('custom checks', () => {
  it('have output that matches their exit code, in the order of their names', () => {
    const texts = { 0: / OK - /, 1: / WARNING - /, 2: / CRITICAL - /, 124: /timed out after/, 127: /^No such file/ };
    each({ customchecks: 30 }, ({ customchecks, agent }) => {
      expect(Object.keys(customchecks)).toEqual(Object.keys(customchecks).sort());
      expect(Object.keys(customchecks).length).toBe(30);
      for (const result of Object.values<Parsed>(customchecks)) {
        expect(Object.keys(result)).toEqual(['stdout', 'rc', 'execution_unix_timestamp_sec']);
        expect(result.stdout).toMatch(texts[result.rc as keyof typeof texts]);
        expect(result.execution_unix_timestamp_sec).toBeLessThanOrEqual(agent.last_updated_timestamp);
        expect(result.execution_unix_timestamp_sec).toBeGreaterThan(agent.last_updated_timestamp - 301);
      }
    });
  });

  it('repeat their result until the next run', () => {
    each({ customchecks: 8 }, (second, one) => {
      const first = checkdata({ ...one, instantMs: one.instantMs - 30_000 });
      for (const [name, after] of Object.entries<Parsed>(second.customchecks)) {
        const before = first.customchecks[name];
        if (before.execution_unix_timestamp_sec === after.execution_unix_timestamp_sec) expect(after).toEqual(before);
      }
    });
  });
});

describe('virtual machines', () => {
  it('are listed by UUID in order, and replace ntp', () => {
    const hosts = ['debian-12', 'almalinux-9', 'opensuse-tumbleweed', 'arch', 'ubuntu-24.04'];
    each({ libvirt: 6 }, (document, one) => {
      if (!hosts.includes(Object.keys(one.fleet.profiles)[0] ?? '')) return;
      expect(document).not.toHaveProperty('ntp');
      expect(Object.keys(document.libvirt)).toEqual(Object.keys(document.libvirt).sort());
      expect(Object.keys(document.libvirt).length).toBe(document.sensors.Temperatures.length > 0 ? 6 : 0);
      for (const [uuid, machine] of Object.entries<Parsed>(document.libvirt)) {
        expect(machine.Uuid).toBe(uuid);
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/);
        const { Memory, Interfaces, Diskio, CpuUsage } = machine;
        if (!machine.IsRunning) expect([Memory, Interfaces, Diskio, CpuUsage]).toEqual([null, null, null, null]);
        else expect(Memory.Ununsed).toBeLessThanOrEqual(Memory.Available);
      }
    });
  });
});

describe('exporters', () => {
  it('have the same names in varying order', () => {
    const orders = new Set<string>();
    each({ prometheus_exporters: 4 }, ({ prometheus_exporters }) => {
      orders.add(prometheus_exporters.join());
      const names = ['mysqld_exporter', 'nginx_exporter', 'node_exporter', 'postgres_exporter'];
      expect([...prometheus_exporters].sort()).toEqual(names);
    });
    expect(orders.size).toBeGreaterThan(3);
  });
});
