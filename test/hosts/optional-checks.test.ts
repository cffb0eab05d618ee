import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OptionalChecks } from '../../src/hosts/host/configuration.ts';
import { hostNameOf, hostNamesOf } from '../../src/wire/agent/identity.ts';
import { draws } from '../draws.ts';
import { anyCase, anyRunningCase, type Case, checkdata, goText, type Parsed } from './any-machine.ts';
import { checkdataOf } from './host-data.ts';
import { systemOf } from './systems.ts';

const RUNS = { numRuns: draws(10) };
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
      { customchecks: 3 },
      { prometheus_exporters: 2 },
      { libvirt: 2 },
    ];
    fc.assert(
      fc.property(anyCase, fc.constantFrom(...sets), (one, checks) => {
        const without = checkdataOf(withChecks(one, {}).fleet, one.agent, one.instantMs) as Parsed;
        const having = checkdataOf(withChecks(one, checks).fleet, one.agent, one.instantMs) as Parsed;
        const lists = ['processes', 'systemd_services', 'launchd_services', 'windows_services', 'packagemanager'];
        const own = [...Object.keys(checks), ...(checks.customchecks === undefined ? lists : []), 'ntp'];
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
  /** What a plugin prints about another check, for the document of the time at which it ran. */
  const STATEMENTS: Readonly<Record<string, (document: Parsed) => string>> = {
    check_apt: ({ packagemanager: { Stats } }) =>
      `: ${Stats.UpgradablePackages} packages available for upgrade (${Stats.SecurityUpdates} critical updates)`,
    check_updates: ({ packagemanager: { Stats } }) => `total_updates=${Stats.UpgradablePackages};`,
    check_os_updates: ({ packagemanager: { Stats } }) => `'security'=${Stats.SecurityUpdates};`,
    check_softwareupdate: ({ packagemanager: { Stats } }) => `updates=${Stats.UpgradablePackages};`,
    check_procs: ({ processes }) => `procs=${processes.length};`,
    check_process: ({ processes }) => `'count'=${processes.length};`,
    check_load: ({ system_load }) => `load15=${system_load['2'].toFixed(3)};`,
    check_disk: ({ disks: [{ usage }] }) => `/=${Math.floor(usage.used / 2 ** 20)}MiB;`,
    check_drivesize: ({ disks: [{ usage }] }) => `'C: used'=${(usage.used / 2 ** 30).toFixed(3)}GB;`,
    check_swap: ({ swap: { total } }) =>
      total === 0 ? '0% free (0MB out of 0MB) - Swap is either disabled, ' : `0;${Math.floor(total / 2 ** 20)}`,
    check_users: ({ users }) => `users=${users.length};`,
    check_mem: ({ memory }) => `USED=${Math.floor(memory.used / 1024)}KB`,
    check_memory: ({ memory }) => `'physical'=${(memory.used / 2 ** 30).toFixed(3)}GB`,
    check_cpu: ({ cpu }) => `'total 5s'=${Math.round(cpu.cpu_total_percentage)}%`,
    check_ntp_time: ({ ntp }) => `Offset ${ntp.Offset.toFixed(6).replace(/^-(0\.0+)$/, '$1')} secs`,
  };

  /** An offset that is half a microsecond above or below what a plugin prints. */
  const HALF_A_MICROSECOND: Case = {
    fleet: { seed: 2, payload: 'typical', checks: {}, profiles: { 'ubuntu-24.04': 1 }, checkIntervalSeconds: 30 },
    agent: 73789,
    instantMs: 1_795_685_828_000,
  };

  it('say what the other checks said at the time at which they ran', () => {
    const held = new Set<string>();
    fc.assert(
      fc.property(anyRunningCase, ({ fleet: { seed, profiles, checkIntervalSeconds }, agent, instantMs }) => {
        const fleet = {
          seed,
          profiles,
          checkIntervalSeconds,
          payload: 'typical',
          checks: { customchecks: 12 },
        } as const;
        const now = checkdata({ fleet, agent, instantMs });
        for (const [name, { stdout, rc, ...run }] of Object.entries<Parsed>(now.customchecks)) {
          const statement = STATEMENTS[name];
          if (statement === undefined || rc > 2) continue;
          const ranMs = run.execution_unix_timestamp_sec * 1000 + systemOf(now).runMs;
          const then = checkdata({ fleet, agent, instantMs: ranMs });
          // Before the first collection, the agent does not know the packages.
          if (statement.toString().includes('Stats') && then.packagemanager.LastUpdate === 0) continue;
          expect(stdout).toContain(statement(then));
          held.add(name);
        }
      }),
      { numRuns: draws(30), examples: [[HALF_A_MICROSECOND]] },
    );
    expect(held.size).toBeGreaterThan(10);
  });

  it('have output that matches their exit code, in the order of their names, and repeat it until the next run', () => {
    const states = { 0: /OK/, 1: /WARNING/, 2: /CRITICAL/, 124: /timed out after/, 127: /^No such file/ };
    each({ customchecks: 13 }, (document, one) => {
      const { customchecks, agent } = document;
      const before = checkdata({ ...one, instantMs: one.instantMs - 30_000 });
      expect(Object.keys(customchecks)).toEqual(Object.keys(customchecks).sort());
      expect(Object.keys(customchecks).length).toBe(13);
      for (const [name, result] of Object.entries<Parsed>(customchecks)) {
        expect(Object.keys(result)).toEqual(['stdout', 'rc', 'execution_unix_timestamp_sec']);
        expect(result.stdout).toMatch(states[result.rc as keyof typeof states]);
        expect(result.execution_unix_timestamp_sec).toBeLessThanOrEqual(agent.last_updated_timestamp);
        expect(result.execution_unix_timestamp_sec).toBeGreaterThan(agent.last_updated_timestamp - 301);
        const earlier = before.customchecks[name];
        if (earlier.execution_unix_timestamp_sec === result.execution_unix_timestamp_sec)
          expect(result).toEqual(earlier);
      }
    });
  });

  it('exist only for the software of their host, and obey the thresholds of their command', () => {
    const custom = (profile: string, command: string) => {
      const customChecks = [{ name: 'own', command, intervalSeconds: 60, timeoutSeconds: 5 }];
      const configuration = {
        checkIntervalSeconds: 30,
        disabledChecks: [],
        customChecks,
        exporters: [],
        packages: undefined,
      };
      const fleet = {
        seed: 1,
        profiles: { [profile]: 1 },
        payload: 'typical',
        checkIntervalSeconds: 30,
        configuration,
      } as const;
      const codes = [1, 2, 3].map(
        (agent) => checkdata({ fleet, agent, instantMs: 1_790_000_000_000 }).customchecks.own.rc,
      );
      return codes.sort()[1];
    };
    expect(['debian-12', 'almalinux-9', 'windows-11'].map((profile) => custom(profile, 'check_apt'))).toEqual([
      0, 127, 127,
    ]);
    expect([custom('arch', 'check_procs -w 3000 -c 4000'), custom('arch', 'check_procs -w 3 -c 4000')]).toEqual([0, 1]);
    expect(custom('arch', 'check_procs -w 3 -c 4')).toBe(2);
  });
});

describe('exporters', () => {
  it('have the same names in varying order', () => {
    const orders = new Set<string>();
    each({ prometheus_exporters: 4 }, ({ prometheus_exporters }) => {
      orders.add(prometheus_exporters.join());
      expect(new Set(prometheus_exporters).size).toBe(4);
    });
    expect(orders.size).toBeGreaterThan(3);
  });

  it('run as processes of services that run', () => {
    each({ prometheus_exporters: 5 }, (_, { fleet, agent, instantMs }) => {
      const own = checkdata({ fleet: { ...fleet, payload: 'full' }, agent, instantMs });
      const commands = own.processes.map(({ cmdline }: Parsed) => cmdline).join('\n');
      for (const exporter of own.prometheus_exporters) {
        const [stem = ''] = exporter.split('_');
        expect(commands).toMatch(new RegExp(`${stem}[-_]exporter(.exe)? --web.listen-address=:\\d+`));
        const services = own.systemd_services ?? own.windows_services ?? own.launchd_services;
        expect(JSON.stringify(services)).toMatch(new RegExp(`${stem}[-_]exporter`));
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
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        const { Memory, Interfaces, Diskio, CpuUsage } = machine;
        if (!machine.IsRunning) expect([Memory, Interfaces, Diskio, CpuUsage]).toEqual([null, null, null, null]);
        else expect(Memory.Ununsed).toBeLessThanOrEqual(Memory.Available);
      }
    });
  });
});

describe('the event logs', () => {
  const fleet = {
    seed: 3,
    profiles: { 'windows-server-2022': 1 },
    payload: 'lean' as const,
    checkIntervalSeconds: 30,
    checks: { windows_eventlog: 60 },
    hostNames: hostNamesOf(3),
  } as const;
  const NOW = 1_790_000_000_000;
  const logged = (document: Parsed): readonly Parsed[] => Object.values<Parsed>(document.windows_eventlog).flat();
  const messages = (document: Parsed) => logged(document).map(({ Message }) => Message);

  it('name their host as it is named on the wire, and hardly repeat themselves', () => {
    const all = Array.from({ length: 12 }, (_, agent) => {
      const document = checkdata({ fleet, agent, instantMs: NOW });
      expect(new Set(logged(document).map(({ MachineName }) => MachineName))).toEqual(new Set([hostNameOf(3, agent)]));
      expect(messages(document).join()).not.toMatch(/[{}]/);
      return messages(document);
    });
    expect(new Set(all.flat().map((message) => message.replace(/[\d.]+/g, '#'))).size).toBeGreaterThan(150);
  });

  it('tell of an incident while it lasts, and at no other time', () => {
    const down = {
      kind: 'service-down',
      service: 'Spooler',
      isHit: () => true,
      fromMs: NOW - 7_200_000,
      toMs: NOW,
    } as const;
    const has = (fromMs: number) => {
      const incidents = [{ ...down, fromMs, toMs: fromMs + 7_200_000 }];
      const all = [1, 2, 3].map((agent) =>
        messages(checkdata({ fleet: { ...fleet, incidents }, agent, instantMs: NOW })),
      );
      return all.flat().some((message) => message.includes('service Spooler ended unexpectedly'));
    };
    expect([has(NOW - 7_200_000), has(NOW - 30 * 86_400_000), has(NOW + 1000)]).toEqual([true, false, false]);
  });
});
