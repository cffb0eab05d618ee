import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../src/hosts/profiles.ts';
import { anyInstant, draws } from '../draws.ts';
import { type Case, checkdata, isUp, oftenAroundReboot, type Parsed, packages } from './any-machine.ts';
import type { TestFleet } from './host-data.ts';

const LINUX = PROFILE_NAMES.filter((name) => !/^(windows|macos)/.test(name));
const OTHERS = PROFILE_NAMES.filter((name) => !LINUX.includes(name));
const INSTANT = Date.UTC(2026, 6, 15, 13);

const FLEETS: readonly Pick<TestFleet, 'seed' | 'payload' | 'checks'>[] = [
  { seed: 3, payload: 'full', checks: { docker: 15, libvirt: 3 } },
  { seed: 4, payload: 'typical', checks: { docker: 4, libvirt: 2 } },
  { seed: 5, payload: { processes: 10, services: 20 }, checks: { docker: 9, libvirt: 1 } },
];

const anyTime = fc
  .record({
    fleet: fc.tuple(fc.constantFrom(...FLEETS), fc.constantFrom('ubuntu-24.04', 'almalinux-9', 'arch')),
    agent: fc.nat(10_000),
    instantMs: anyInstant,
  })
  .map(({ fleet: [fleet, name], ...rest }): Case => {
    return { fleet: { ...fleet, profiles: { [name]: 1 }, checkIntervalSeconds: 30 }, ...rest };
  });

const anyHost = oftenAroundReboot(anyTime).filter(({ fleet, agent, instantMs }) => isUp(fleet, agent, instantMs));

function each(claim: (document: Parsed, one: Case) => void): void {
  fc.assert(
    fc.property(anyHost, (one) => claim(checkdata(one), one)),
    { numRuns: draws(6) },
  );
}

describe('network cards', () => {
  it('exist for each running container and virtual machine, with a bridge if an engine is installed', () => {
    each(({ net_io, net_stats, docker, libvirt }) => {
      const names = Object.keys(net_io);
      expect(Object.keys(net_stats)).toEqual(names);
      const running = Object.values<Parsed>(libvirt ?? {}).filter(({ IsRunning }) => IsRunning);
      if (Array.isArray(docker)) {
        expect(names.filter((name) => name.startsWith('veth'))).toHaveLength(docker.length);
        expect(names).toContain('docker0');
      }
      expect(names.filter((name) => name.startsWith('vnet'))).toHaveLength(running.length);
    });
  });

  it('at bridges are as fast as in the kernel, and the unused default network carries no traffic', () => {
    each(({ net_io, net_stats, docker }) => {
      const [network] = Object.keys(net_stats).filter((name) => name.startsWith('br-'));
      expect(network).toMatch(/^br-[0-9a-f]{12}$/);
      const some = docker.length > 0;
      expect(net_stats[network ?? '']).toEqual({ isup: some, duplex: 0, speed: some ? 10_000 : -1, mtu: 1500 });
      expect(net_stats.docker0).toEqual({ isup: false, duplex: 0, speed: -1, mtu: 1500 });
      expect(net_io.docker0.bytes_sent).toBe(0);
      for (const [name, card] of Object.entries<Parsed>(net_stats)) {
        if (/^v(eth|net)/.test(name)) expect(card).toEqual({ isup: true, duplex: 2, speed: 10_000, mtu: 1500 });
      }
      expect(Object.entries<Parsed>(net_io).map(([name, card]) => [name, card.name])).toEqual(
        Object.keys(net_io)
          .toSorted()
          .map((name) => [name, name]),
      );
    });
  });

  it('of containers send what the containers receive, since their start, under names that do not change', () => {
    const checks = { docker: 6 };
    const names = new Map<string, Set<string>>();
    let changes = 0;
    for (const [place, { docker, net_io }] of hosts({ checks, payload: 'full' }, 30, () => 5).entries()) {
      const veths = Object.values<Parsed>(net_io).filter(({ name }) => name.startsWith('veth'));
      const numbers = (all: readonly Parsed[], received: string, sent: string) => {
        return all.map((one) => `${one[received]} ${one[sent]}`).toSorted();
      };
      expect(numbers(veths, 'bytes_sent', 'bytes_recv')).toEqual(numbers(docker, 'network_rx', 'network_tx'));
      for (const { name, bytes_sent, avg_bytes_sent_ps } of veths) {
        const [{ id }] = docker.filter((one: Parsed) => one.network_rx === bytes_sent);
        const known = names.get(id) ?? new Set();
        if (known.size === 0 && place > 0) changes++;
        names.set(id, known.add(name));
        expect(avg_bytes_sent_ps * 30).toBeLessThanOrEqual(bytes_sent);
      }
    }
    expect(changes).toBeGreaterThan(5);
    for (const known of names.values()) expect(known.size).toBe(1);
    expect(new Set([...names.values()].flatMap((known) => [...known])).size).toBe(names.size);
  });

  it('of containers exist only on hosts with an engine', () => {
    for (const { net_io, processes } of hosts({ payload: 'full', checks: {} }, 40)) {
      const engine = processes.some(({ cmdline }: Parsed) => cmdline.startsWith('/usr/bin/dockerd'));
      expect('docker0' in net_io).toBe(engine);
      if (!engine) expect(Object.keys(net_io).join()).not.toMatch(/veth|virbr/);
    }
  });
});

function hosts(fleet: Partial<TestFleet>, count: number, agentOf = (place: number) => place): readonly Parsed[] {
  const whole = {
    seed: 8,
    profiles: { 'debian-12': 1 },
    payload: 'typical',
    checkIntervalSeconds: 30,
    ...fleet,
  } as const;
  return Array.from({ length: count }, (_, place) => {
    return checkdata({ fleet: whole, agent: agentOf(place), instantMs: INSTANT + place * 43_200_000 });
  });
}

function sumOf(processes: readonly Parsed[], figure: (process: Parsed) => number): number {
  return processes.reduce((sum, process) => sum + figure(process), 0);
}

function below(processes: readonly Parsed[], pid: number): readonly Parsed[] {
  const children = processes.filter(({ ppid }) => ppid === pid);
  return children.flatMap((child) => [child, ...below(processes, child.pid)]);
}

function named(processes: readonly Parsed[], name: string): readonly Parsed[] {
  return processes.filter((process) => process.name === name);
}

const SHIM = 'containerd-shim-runc-v2';

function shimOf(processes: readonly Parsed[], id: string): Parsed {
  return named(processes, SHIM).filter(({ cmdline }) => cmdline.includes(` -id ${id}`));
}

const rssOf = ({ Memory }: Parsed) => Memory.rss;
const cpuOf = (process: Parsed) => process.cpu_percent;

/** The first process in a container of each image. */
const PROGRAMS: Readonly<Record<string, RegExp>> = {
  'nginx:1.29-alpine': /^nginx: master/,
  'ghcr.io/example/api:4': /^node /,
  'ghcr.io/example/worker:4': /python3 -m celery/,
  'redis:8-alpine': /^redis-server/,
  'postgres:17': /^postgres$/,
  'traefik:v3.5': /^traefik/,
  'boky/postfix:latest': /postfix/,
  'opensearchproject/opensearch:3': /\/java /,
  'rabbitmq:4-management': /beam\.smp/,
  'prom/prometheus:v3.5.0': /\/prometheus /,
  'registry:3': /^registry serve/,
};

describe('the containers of a Linux host', () => {
  it('have processes below one shim each, with the memory and CPU of the check; stopped ones have none', () => {
    each(({ processes, docker }) => {
      expect(named(processes, SHIM)).toHaveLength(docker.length);
      for (const { id, image, memory_used, cpu_percentage } of docker) {
        const [shim, ...others] = shimOf(processes, id);
        expect([shim?.ppid, shim?.username, others]).toEqual([1, 'root', []]);
        expect(shim.cmdline).toMatch(/ -id [0-9a-f]{64} /);
        const inside = below(processes, shim.pid);
        expect(inside[0].cmdline).toMatch(PROGRAMS[image.replace(/:4\.\d+\.\d+$/, ':4')] ?? /^no such image$/);
        expect(sumOf(inside, rssOf)).toBe(memory_used);
        expect(Math.abs(sumOf(inside, cpuOf) - cpu_percentage)).toBeLessThan(0.11);
      }
    });
  });

  it('are sometimes stopped, some of them for long', () => {
    const all = hosts({ checks: { docker: 12 } }, 60);
    const missing = all.map(({ docker }) => 12 - docker.length);
    expect(missing.filter((count) => count > 0).length).toBeGreaterThan(5);
    expect(sumOf(missing, Number) / (12 * 60)).toBeLessThan(0.08);
  });

  it('publish separate ports through proxies of the engine', () => {
    each(({ processes }) => {
      const [engine] = named(processes, 'dockerd');
      const ports = named(processes, 'docker-proxy').map(({ cmdline, ppid }: Parsed) => {
        expect(ppid).toBe(engine.pid);
        return / -host-port (\d+) -container-ip (172\.18\.\d+\.\d+) -container-port (\d+)$/.exec(cmdline) ?? [];
      });
      expect(new Set(ports.map(([, host]) => host)).size).toBe(ports.length);
      expect(new Set(ports.map(([, , ip, port]) => `${ip}:${port}`)).size).toBe(ports.length);
    });
  });

  it('are the same for every payload, and whether or not their check is enabled', () => {
    const checks = { docker: 6 };
    const [full, typical, lean] = (['full', 'typical', 'lean'] as const).map((payload) => {
      return hosts({ payload, checks }, 12).map(({ docker }) => docker);
    });
    expect(typical).toEqual(full);
    expect(lean).toEqual(full);
    const configuration = {
      checkIntervalSeconds: 30,
      disabledChecks: ['docker'],
      customChecks: undefined,
      exporters: undefined,
      packages: undefined,
    };
    const hidden = hosts({ checks, configuration }, 12);
    expect(hidden.map(({ processes }) => named(processes, SHIM).length)).toEqual(full?.map(({ length }) => length));
    expect(hidden[0]).not.toHaveProperty('docker');
  });

  it('run on build hosts by default, unless disabled', () => {
    const counts = (checks: object) => hosts({ checks }, 30).map(({ processes }) => named(processes, SHIM).length);
    expect(new Set(counts({}))).toEqual(new Set([0, 3]));
    expect(new Set(counts({ docker: 0 }))).toEqual(new Set([0]));
  });

  it('keep running without their engine, which then reports none; it restarts its proxies', () => {
    const down = { kind: 'service-down', service: 'docker.service', isHit: () => true } as const;
    const at = (fromMs: number) => {
      const incidents = [{ ...down, fromMs: INSTANT + fromMs, toMs: INSTANT + fromMs + 60_000 }];
      const [document] = hosts({ checks: { docker: 6 }, incidents }, 1);
      const pids = (name: string) => named(document.processes, name).map(({ pid }) => pid);
      return { docker: document.docker, shims: pids(SHIM), proxies: pids('docker-proxy') };
    };
    const [before, during, after] = [at(60_000), at(-30_000), at(-90_000)];
    expect(during?.docker.error).toMatch(/Cannot connect to the Docker daemon/);
    expect(during?.proxies).toEqual([]);
    expect(before?.shims.length).toBeGreaterThan(3);
    expect([during?.shims, after?.shims]).toEqual([before?.shims, before?.shims]);
    expect(after?.docker).toEqual(before?.docker);
    expect(after?.proxies).toHaveLength(before?.proxies.length ?? 0);
    for (const pid of after?.proxies ?? []) expect(before?.proxies).not.toContain(pid);
  });
});

describe('the containers of AlmaLinux', () => {
  const group = {
    profile: 'almalinux-9',
    role: 'container-host',
    name: 'c',
    size: { kind: 'weight', weight: 1 },
  } as const;
  const fleetOf = (checks: object) => {
    return { profiles: { 'almalinux-9': 1 }, groups: [{ ...group, payload: 'natural', checks }], agents: 40 } as const;
  };

  it("are Podman's unless Docker's are requested: monitors without a daemon or proxies, and no check", () => {
    const own = hosts(fleetOf({}), 24);
    const docker = hosts(fleetOf({ docker: 3 }), 6);
    for (const { processes, net_io, net_stats, systemd_services, disks, ...others } of own) {
      expect(others).not.toHaveProperty('docker');
      for (const name of ['dockerd', 'containerd', 'docker-proxy', SHIM]) expect(named(processes, name)).toEqual([]);
      expect(systemd_services.map(({ Name }: Parsed) => Name).join()).not.toMatch(/docker|containerd/);
      expect(disks.map(({ disk }: Parsed) => disk.mountpoint).join()).not.toContain('/var/lib/docker');
      const monitors = named(processes, 'conmon');
      expect(monitors.every(({ ppid, username }) => ppid === 1 && username === 'root')).toBe(true);
      expect(new Set(monitors.map(({ cmdline }) => / -c ([0-9a-f]{64}) -u \1 /.exec(cmdline)?.[1])).size).toBe(
        monitors.length,
      );
      for (const { pid } of monitors) expect(below(processes, pid).length).toBeGreaterThan(0);
      const cards = Object.keys(net_io);
      expect(cards.filter((name) => /^veth\d+$/.test(name))).toHaveLength(monitors.length);
      expect(cards.filter((name) => /^(docker|br-)/.test(name))).toEqual([]);
      expect(net_stats.podman0?.isup).toBe(monitors.length > 0 ? true : undefined);
    }
    expect(own.filter(({ processes }) => named(processes, 'conmon').length > 2).length).toBeGreaterThan(12);
    for (const document of docker) expect(named(document.processes, SHIM)).toHaveLength(document.docker.length);
  });
});

describe('the virtual machines of a host', () => {
  it('are processes with their name, memory and cores while they run, only on physical hosts', () => {
    each(({ processes, libvirt, sensors, cpu, memory }, { fleet }) => {
      const metal = sensors.Temperatures.length > 0;
      const machines = Object.values<Parsed>(libvirt);
      expect(machines).toHaveLength(metal ? (fleet.checks?.libvirt ?? 0) : 0);
      expect(new Set(machines.map(({ Name }) => Name)).size).toBe(machines.length);
      const running = machines.filter(({ IsRunning }) => IsRunning);
      const own = processes.filter(({ cmdline }: Parsed) => cmdline.includes(' -name guest='));
      expect(own).toHaveLength(running.length);
      for (const { Name, Uuid, Memory, CpuUsage } of running) {
        const [process] = own.filter(({ cmdline }: Parsed) => cmdline.includes(`guest=${Name},`));
        const { HostPercent, GuestPercent } = CpuUsage;
        const [, kib, processors] = / -m size=(\d+)k .* -smp (\d+),/.exec(process.cmdline) ?? [];
        expect(process.cmdline).toContain(` -uuid ${Uuid} `);
        expect(Number(kib)).toBe(Memory.Total);
        expect(Memory.Rss).toBeLessThanOrEqual(Memory.Total);
        expect(1024 * Memory.Total).toBeLessThan(memory.total);
        expect(rssOf(process)).toBe(1024 * Memory.Rss);
        expect(Math.abs(cpuOf(process) - HostPercent * cpu.cpu_percentage.length)).toBeLessThan(0.11);
        expect(GuestPercent * Number(processors)).toBeCloseTo(HostPercent * cpu.cpu_percentage.length, 6);
      }
    });
  });
});

describe('a host with containers and virtual machines', () => {
  it('does not exceed its memory and cores, and has unique PIDs and parents for all processes', () => {
    each(({ processes, memory, cpu }) => {
      expect(sumOf(processes, cpuOf)).toBeLessThanOrEqual(100 * cpu.cpu_percentage.length);
      expect(sumOf(processes, rssOf)).toBeLessThanOrEqual(memory.used);
      const pids = processes.map(({ pid }: Parsed) => pid);
      expect(new Set(pids).size).toBe(pids.length);
      for (const { ppid } of processes) expect([0, ...pids]).toContain(ppid);
    });
  });

  it('leaves less memory and CPU to its other processes', () => {
    const others = (document: Parsed) => {
      const shims = named(document.processes, SHIM);
      const guests = new Set([...shims, ...shims.flatMap(({ pid }) => below(document.processes, pid))]);
      return document.processes.filter((process: Parsed) => !guests.has(process));
    };
    const [beside, alone] = [12, 0].map((docker) => hosts({ checks: { docker } }, 16).flatMap(others));
    expect(sumOf(beside ?? [], rssOf)).toBeLessThan(0.95 * sumOf(alone ?? [], rssOf));
    expect(sumOf(beside ?? [], cpuOf)).toBeLessThan(0.95 * sumOf(alone ?? [], cpuOf));
  });

  it.each(LINUX)('of %s has the services and packages that they need', (profile) => {
    const fleet = { seed: 8, profiles: { [profile]: 1 }, payload: 'full', checkIntervalSeconds: 30 } as const;
    for (let agent = 0; agent < 4; agent++) {
      const one = { fleet: { ...fleet, checks: { docker: 2, libvirt: 1 } }, agent, instantMs: INSTANT };
      const { systemd_services, libvirt } = checkdata(one);
      const running = systemd_services
        .filter(({ SubState }: Parsed) => SubState === 'running')
        .map(({ Name }: Parsed) => Name);
      expect(running).toEqual(expect.arrayContaining(['docker.service', 'containerd.service']));
      const names: readonly string[] = packages(one).LinuxPackages.map(({ Name }: Parsed) => Name);
      expect(names.some((name) => /^docker(\.io|-ce)?$/.test(name))).toBe(true);
      if (Object.keys(libvirt).length === 0) continue;
      expect(running.join()).toMatch(/\b(libvirtd|virtqemud)\.service/);
      expect(names.some((name) => /^(libvirt|libvirt-daemon-driver-qemu)$/.test(name))).toBe(true);
      expect(names.some((name) => /^qemu(-kvm-core|-system-x86|-x86)$/.test(name))).toBe(true);
    }
  });
});

describe.each(OTHERS)('the containers of %s', (profile) => {
  it('are one process of their host, with at least their memory', () => {
    for (const { docker, processes } of hosts({ profiles: { [profile]: 1 }, checks: { docker: 60 } }, 12)) {
      const [machine, ...others] = processes.filter(({ name }: Parsed) =>
        /^(vmmemWSL|vmmem|com\.docker\.virtual.*)$/.test(name),
      );
      expect(others).toEqual([]);
      const held = machine.Memory.rss ?? machine.Memory.working_set_private;
      expect(held).toBeGreaterThanOrEqual(sumOf(docker, ({ memory_used }) => memory_used));
      expect(named(processes, SHIM)).toEqual([]);
    }
  });
});
