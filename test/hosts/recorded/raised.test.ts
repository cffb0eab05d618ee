import { describe, expect, it } from 'vitest';
import { plain } from '../../../src/hosts/document/plain.ts';
import { publishingOf, systemChooser } from '../../../src/hosts/groups.ts';
import type { Incident } from '../../../src/hosts/host/incident.ts';
import { recordedText } from '../../../src/hosts/recorded/recorded-hosts.ts';
import { recordedHosts } from '../../../src/recordings/simulated-hosts.ts';
import { type Case, checkdata, checkdataText, goText, type Parsed, packages } from '../any-machine.ts';
import { checkdataOf, createMachines } from '../host-data.ts';
import { documentsOf, mixedRecording, raised, recordingOf } from './recorded-fleets.ts';

const PROFILES = ['ubuntu-24.04', 'opensuse-tumbleweed', 'windows-server-2022', 'macos-26'];
const INSTANT_MS = Date.UTC(2026, 6, 15, 13);

function host(profile: string, agent = 17): Case & { readonly recorded: readonly Parsed[] } {
  const recorded = documentsOf(profile).filter(({ kind }) => kind === 'checkdata');
  const fleet = raised(recordingOf(profile));
  return { fleet, agent, instantMs: INSTANT_MS, recorded: recorded.map(({ text }) => JSON.parse(text)) };
}

/** The path and type of each value in a document, in order. */
function shapeOf(value: Parsed, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`];
  return Object.entries(value).flatMap(([name, member]) => shapeOf(member, `${path}/${name}`));
}

function held(document: Parsed): number {
  return document.processes.reduce(
    (sum: number, { Memory }: Parsed) => sum + (Memory.rss ?? Memory.working_set_private),
    0,
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe.each(PROFILES)('hosts based on a recording of %s', (profile) => {
  it('have the members, types and order of one of its documents', () => {
    const one = host(profile);
    const shapes = one.recorded.map((document) => shapeOf(document).join('\n'));
    for (const agent of [17, 18, 19, 20]) expect(shapes).toContain(shapeOf(checkdata({ ...one, agent })).join('\n'));
  });

  it('have its programs, services, cards and file systems', () => {
    const one = host(profile);
    const namesOf = (document: Parsed) => ({
      programs: document.processes.map(({ username, name, exec }: Parsed) => [username, name, exec].join(' ')).sort(),
      services: (document.systemd_services ?? document.launchd_services ?? document.windows_services).length,
      cards: document.net_stats,
      disks: document.disks.map(({ disk }: Parsed) => disk),
    });
    expect(one.recorded.map(namesOf)).toContainEqual(namesOf(checkdata(one)));
  });

  it('vary around its levels, each with its own', () => {
    const one = host(profile);
    const some = Array.from({ length: 20 }, (_, agent) => {
      return checkdata({ ...one, agent, instantMs: INSTANT_MS + agent * 86_400_000 });
    });
    const near = (figure: (document: Parsed) => number, digits: readonly [number, number]) => {
      const recorded = mean(one.recorded.map(figure));
      expect(mean(some.map(figure)) / recorded).toBeGreaterThan(digits[0]);
      expect(mean(some.map(figure)) / recorded).toBeLessThan(digits[1]);
      expect(new Set(some.map(figure)).size).toBeGreaterThan(15);
    };
    near(({ memory }) => memory.used, [0.8, 1.25]);
    near(({ cpu, agent }) => cpu.cpu_total_percentage + 1e-6 * agent.system_uptime, [0.5, 2]);
    near((document) => held(document) / document.memory.total, [0.75, 1.25]);
    near(({ disks }) => Math.max(...disks.map(({ usage }: Parsed) => usage.used)), [0.8, 1.2]);
  });

  it("send the same text as Go's encoder for the plain document", () => {
    const { fleet, agent, instantMs } = host(profile);
    expect(checkdataText({ fleet, agent, instantMs })).toBe(goText(checkdataOf(fleet, agent, instantMs)));
  });

  it('have unique identities', () => {
    const one = host(profile);
    const [first, second] = [17, 18].map((agent) => JSON.stringify(checkdata({ ...one, agent })));
    const uuids = (text = '') => new Set(text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g));
    expect([...uuids(first)].filter((uuid) => uuids(second).has(uuid))).toEqual([]);
    const pids = (text = '{}') => JSON.parse(text).processes.map(({ pid }: Parsed) => pid);
    expect(pids(first)).not.toEqual(pids(second));
  });
});

it.each([99.99, 90, 40])('hosts based on one that is busy by %d % are as busy in the mean', (percent) => {
  const [first] = documentsOf('ubuntu-24.04');
  const { cpu, ...rest } = JSON.parse(first?.text ?? '{}');
  const text = JSON.stringify({ ...rest, cpu: { ...cpu, cpu_total_percentage: percent } });
  const hash = `busy ${percent}`;
  const recording = recordedHosts([{ host: 'one', kind: 'checkdata', instantMs: INSTANT_MS, text }], {
    name: hash,
    hash,
  });
  const fleet = raised(recording);
  const shares = Array.from({ length: 60 }, (_, agent) => {
    const instantMs = INSTANT_MS + agent * 3_000_000;
    return checkdata({ fleet, agent, instantMs }).cpu.cpu_total_percentage;
  });
  expect(mean(shares)).toBeGreaterThan(0.92 * percent);
  expect(mean(shares)).toBeLessThan(1.08 * percent);
});

describe('a recording of hosts with several systems', () => {
  const SYSTEMS = { 'ubuntu-24.04': 'linux', 'windows-server-2022': 'windows', 'macos-26': 'macos' } as const;
  const recording = mixedRecording(Object.keys(SYSTEMS));
  const fleet = raised(recording);
  const agents = Array.from({ length: 60 }, (_, agent) => agent);

  it('yields about as many hosts of each system as it contains', () => {
    const goos = agents.map((agent) => checkdata({ fleet, agent, instantMs: INSTANT_MS }).agent.goos);
    for (const system of ['linux', 'windows', 'darwin']) {
      expect(goos.filter((it) => it === system).length).toBeGreaterThan(10);
    }
  });

  it('preserves the documents of each, and uses the timing and reboots of its system', () => {
    const systemOf = systemChooser(fleet);
    const { publishesLaterMs } = publishingOf(fleet);
    for (const agent of agents.slice(0, 12)) {
      const document = checkdata({ fleet, agent, instantMs: INSTANT_MS });
      const system = systemOf(agent);
      expect(document.agent.goos).toBe(system === 'macos' ? 'darwin' : system);
      const [profile = ''] = Object.entries(SYSTEMS).find(([, it]) => it === system) ?? [];
      const own = documentsOf(profile).map(({ text }) => shapeOf(JSON.parse(text)).join('\n'));
      expect(own).toContain(shapeOf(document).join('\n'));
      expect(packages({ fleet, agent, instantMs: INSTANT_MS }).Stats.OperatingSystem).toBe(system);
      const runMs = system === 'windows' ? 700 : 4000;
      expect(document.agent.last_updated_timestamp).toBe(Math.floor((INSTANT_MS - runMs) / 1000));
      expect(publishesLaterMs(agent) === 0).toBe(system === 'windows');
    }
  });
});

const FROM_MS = INSTANT_MS - 30 * 60_000;
const ALL = { isHit: () => true, fromMs: FROM_MS, toMs: FROM_MS + 40 * 60_000 } as const;

function troubled(profile: string, incidents: readonly Incident[]): Case {
  const { fleet, agent, instantMs } = host(profile, 3);
  return { fleet: { ...fleet, incidents }, agent, instantMs };
}

const NAMES = [
  { profile: 'ubuntu-24.04', service: 'cron', process: 'cron', root: '/' },
  { profile: 'windows-server-2022', service: 'CryptSvc', process: 'svchost.exe', root: 'C:' },
  { profile: 'macos-26', service: 'com.apple.logd', process: 'logd', root: '/System/Volumes/Data' },
];

describe.each(NAMES)('an event on hosts based on a recording of $profile', ({ profile, service, process, root }) => {
  it('changes nothing before it begins', () => {
    const incidents: readonly Incident[] = [
      { kind: 'disk-full', ...ALL },
      { kind: 'cpu-saturated', ...ALL },
      { kind: 'memory-leak', ...ALL },
      { kind: 'service-down', service, ...ALL },
      { kind: 'reboot', ...ALL },
    ];
    const before = { ...troubled(profile, incidents), instantMs: FROM_MS - 60_000 };
    expect(checkdataText(before)).toBe(checkdataText({ ...before, fleet: raised(recordingOf(profile)) }));
  });

  it('stops a service with its process, and restarts both', () => {
    const one = troubled(profile, [{ kind: 'service-down', service, ...ALL }]);
    const statesOf = (document: Parsed) => {
      const all = document.systemd_services ?? document.launchd_services ?? document.windows_services;
      const own = all.find((it: Parsed) => (it.Name ?? it.Label).replace('.service', '') === service);
      const processes = document.processes.filter(({ name }: Parsed) => name === process).length;
      return { runs: own.ActiveState === 'active' || own.IsRunning === true || own.Status === 'Running', processes };
    };
    const [before, during, after] = [FROM_MS - 60_000, INSTANT_MS, FROM_MS + 60 * 60_000].map((instantMs) => {
      return statesOf(checkdata({ ...one, instantMs }));
    });
    expect(before?.runs).toBe(true);
    expect(during?.runs).toBe(false);
    expect(during?.processes).toBeLessThan(before?.processes ?? 0);
    expect(after).toEqual(before);
  });

  it('fills a disk, saturates CPU and memory, and reboots a host', () => {
    const at = (incident: Incident, instantMs = INSTANT_MS) => {
      return checkdata({ ...troubled(profile, [incident]), instantMs });
    };
    const full = at({ kind: 'disk-full', mountpoint: root, ...ALL });
    expect(full.disks.find(({ disk }: Parsed) => disk.mountpoint === root).usage.free).toBe(0);
    expect(at({ kind: 'cpu-saturated', ...ALL }).cpu.cpu_total_percentage).toBeGreaterThan(85);
    const leaked = at({ kind: 'memory-leak', ...ALL }, ALL.toMs - 60_000);
    expect(leaked.memory.percent).toBeGreaterThan(90);
    expect(held(leaked)).toBeLessThanOrEqual(leaked.memory.used);
    const rebooted = at({ kind: 'reboot', ...ALL }, ALL.toMs + 300_000);
    expect(rebooted.agent.system_uptime).toBeLessThan(300);
  });
});

it('a rebooted host tells from its first document on when its processes were created and its users signed in', () => {
  const one = troubled('windows-server-2022', [{ kind: 'reboot', ...ALL }]);
  const [first, ...later] = [14_000, 80_000, 900_000].map((afterMs) => {
    const { processes, users } = checkdata({ ...one, instantMs: ALL.toMs + afterMs });
    return {
      created: processes.map(({ CreateTime }: Parsed) => CreateTime),
      signedIn: users.map(({ started }: Parsed) => started),
    };
  });
  expect(first?.created.length).toBeGreaterThan(20);
  expect(first?.signedIn.length).toBeGreaterThan(0);
  for (const document of later) expect(document).toEqual(first);
});

describe('a host that was recorded for days', () => {
  /** By hour of the day in UTC: busy from 8 to 18, and less on the weekend by this factor. */
  const busyAt = (instantMs: number, weekend: number) => {
    const date = new Date(instantMs);
    const isDay = date.getUTCHours() >= 8 && date.getUTCHours() < 18;
    return (isDay ? 60 : 6) * (date.getUTCDay() % 6 === 0 ? weekend : 1);
  };
  const recordedFor = (days: number, weekend: number) => {
    const [first] = documentsOf('ubuntu-24.04');
    // A few checks suffice, and reading a document takes as long as it is large.
    const { agent, cpu: recorded, memory, system_load } = JSON.parse(first?.text ?? '');
    const documents = Array.from({ length: days * 24 }, (_, hour) => {
      const instantMs = Date.UTC(2026, 5, 8) + hour * 3_600_000;
      const cpu = { ...recorded, cpu_total_percentage: busyAt(instantMs, weekend) };
      const text = JSON.stringify({ agent, cpu, memory, system_load });
      return { host: 'host-1', kind: 'checkdata', instantMs, text } as const;
    });
    return raised(recordedHosts(documents, { name: 'days', hash: `days-${days}-${weekend}` }));
  };
  /** Mean CPU usage at this hour of a day in July, over some hosts and minutes. */
  const busy = (fleet: ReturnType<typeof raised>, day: number, hour: number) => {
    const figures = Array.from({ length: 40 }, (_, n) => {
      const instantMs = Date.UTC(2026, 6, day, hour, 11 * (n % 5));
      return checkdata({ fleet, agent: n, instantMs }).cpu.cpu_total_percentage;
    });
    return mean(figures);
  };
  const [WEDNESDAY, SUNDAY] = [15, 19];

  it('is busy at the recorded hours', () => {
    const fleet = recordedFor(1, 1);
    for (const day of [WEDNESDAY, SUNDAY]) expect(busy(fleet, day, 13)).toBeGreaterThan(4 * busy(fleet, day, 3));
  });

  it('idles on the recorded days of the week, if a whole week was recorded', () => {
    const fleet = recordedFor(7, 0.1);
    expect(busy(fleet, WEDNESDAY, 13)).toBeGreaterThan(4 * busy(fleet, SUNDAY, 13));
  });
});

describe('the updates of hosts based on a recording of Windows', () => {
  it('change each month until a host installs them, while its recorded programs stay', () => {
    const fleet = raised(recordingOf('windows-server-2022'));
    const recorded = documentsOf('windows-server-2022').find(({ kind }) => kind === 'packages');
    const { WindowsApps } = JSON.parse(recorded?.text ?? '');
    const day = (agent: number, days: number) => packages({ fleet, agent, instantMs: INSTANT_MS + days * 86_400_000 });
    const titles = new Set<string>();
    for (let one = 0; one < 90; one++) {
      const { Stats, ...lists } = day(one % 30, 3 * Math.floor(one / 30));
      expect(lists.WindowsApps).toEqual(WindowsApps);
      expect(Stats.UpgradablePackages).toBe(lists.WindowsUpdates.length);
      for (const { Title } of lists.WindowsUpdates) titles.add(Title.replace(/\d+/g, ''));
    }
    expect([...titles].join()).toContain('Cumulative Update for Microsoft server operating system');
    const due = {
      kind: 'security-updates-due',
      isHit: () => true,
      fromMs: INSTANT_MS - 60_000,
      toMs: INSTANT_MS + 60_000,
    } as const;
    const at = (incidents: readonly Incident[]) =>
      packages({ fleet: { ...fleet, incidents }, agent: 3, instantMs: INSTANT_MS });
    expect(at([due]).Stats.SecurityUpdates).toBeGreaterThan(at([]).Stats.SecurityUpdates);
  });
});

describe('package information', () => {
  it('prefers a collection that did not fail', () => {
    const documents = documentsOf('ubuntu-24.04');
    const [good] = documents.filter(({ kind }) => kind === 'packages');
    const failed = (good?.text ?? '').replace('"LastError":""', '"LastError":"signal: killed"');
    const later = {
      host: 'host-1',
      kind: 'packages',
      instantMs: (good?.instantMs ?? 0) + 60_000,
      text: failed,
    } as const;
    const { hosts } = recordedHosts([...documents, later], { name: 'failed', hash: 'failed' });
    const kept = hosts[0]?.packages;
    expect(kept && recordedText(kept)).toBe(good?.text);
  });

  it('contains counts and the error if all collections of a host failed', () => {
    const documents = documentsOf('ubuntu-24.04').map((one) => {
      return {
        ...one,
        text: one.text.replace(
          '"LastError":"","OperatingSystem":"linux"',
          '"LastError":"killed","OperatingSystem":"linux"',
        ),
      };
    });
    const fleet = raised(recordedHosts(documents, { name: 'none', hash: 'none' }));
    const { Stats, LinuxPackages } = JSON.parse(documents.find(({ kind }) => kind === 'packages')?.text ?? '');
    const told = packages({ fleet, agent: 17, instantMs: INSTANT_MS });
    expect(told.Stats).toMatchObject({ InstalledPackages: Stats.InstalledPackages, LastError: 'killed' });
    expect(told.LinuxPackages).toEqual(LinuxPackages);
    const alone = raised(recordedHosts(documents.slice(0, 1), { name: 'alone', hash: 'alone' }));
    const { packagemanager } = checkdata({ fleet: alone, agent: 17, instantMs: INSTANT_MS });
    expect(packagemanager.Stats).toMatchObject({ InstalledPackages: Stats.InstalledPackages, LastError: '' });
  });
});

describe('a host that was recorded seconds after its boot', () => {
  it('does not keep the counter rates of its boot', () => {
    const documents = documentsOf('ubuntu-24.04').slice(0, 1);
    const early = documents.map((one) => ({
      ...one,
      text: one.text.replace(/"system_uptime":\d+/, '"system_uptime":0'),
    }));
    const fleet = raised(recordedHosts(early, { name: 'early', hash: 'early' }));
    const recorded = JSON.parse(early[0]?.text ?? '');
    const { net_io, agent } = checkdata({ fleet, agent: 17, instantMs: INSTANT_MS });
    for (const [name, { bytes_recv }] of Object.entries<Parsed>(recorded.net_io)) {
      expect(net_io[name].bytes_recv / agent.system_uptime).toBeLessThanOrEqual(bytes_recv / 150);
    }
  });
});

describe('the packages of hosts based on a recording of Linux', () => {
  it('are as recorded on a host with all updates, and are updated from then on', () => {
    const { fleet } = host('ubuntu-24.04');
    const recorded = documentsOf('ubuntu-24.04').find(({ kind }) => kind === 'packages');
    const { LinuxPackages, LastUpdate } = JSON.parse(recorded?.text ?? '');
    const namesOf = (packages: Parsed) => packages.map(({ Name }: Parsed) => Name);
    const versions = (packages: Parsed) => packages.map(({ Version }: Parsed) => Version);
    const at = (agent: number, days: number) => {
      return packages({ fleet, agent, instantMs: LastUpdate * 1000 + days * 86_400_000 });
    };
    const early = at(17, 0);
    expect(namesOf(early.LinuxPackages)).toEqual(namesOf(LinuxPackages));
    const same = versions(early.LinuxPackages).filter((version: string, place: number) => {
      return version === LinuxPackages[place].Version;
    });
    expect(same.length / LinuxPackages.length).toBeGreaterThan(0.9);
    const counts = Array.from({ length: 30 }, (_, agent) => at(agent, 40).LinuxUpdates.length);
    expect(Math.max(...counts)).toBeGreaterThan(10);
    expect(versions(at(17, 200).LinuxPackages)).not.toEqual(versions(early.LinuxPackages));
  });

  it('have only versions that the recording contains, until something new is published', () => {
    const updates = [
      ['13.3.0-6~24.04', '13.3.0-6~24.09'],
      ['1.68.1-1', '1.69.1-1'],
    ] as const;
    const documents = documentsOf('ubuntu-24.04').map((one) => {
      if (one.kind === 'checkdata') return one;
      const { LinuxPackages: _, ...document } = JSON.parse(one.text);
      const LinuxPackages = updates.map(([Version], n) => ({ Name: `p${n}`, Version, Description: '' }));
      const LinuxUpdates = updates.map(([CurrentVersion, AvailableVersion], n) => {
        return { Name: `p${n}`, CurrentVersion, AvailableVersion, IsSecurityUpdate: false, IsPatch: false };
      });
      return { ...one, text: JSON.stringify({ ...document, LinuxPackages, LinuxUpdates }) };
    });
    const fleet = raised(recordedHosts(documents, { name: 'pending', hash: 'pending' }));
    const instantMs = documents.at(-1)?.instantMs ?? 0;
    const seen = Array.from({ length: 40 }, (_, agent) => packages({ fleet, agent, instantMs }).LinuxPackages);
    const versionsAt = (place: number) => new Set(seen.map((list: Parsed) => list[place].Version));
    expect([...versionsAt(0)].sort()).toEqual(updates[0]);
    expect([...versionsAt(1)].sort()).toEqual(updates[1]);
  });
});

it.each(['checkdata', 'packages'] as const)(
  '%s that are described again after they were compiled are the same',
  (kind) => {
    for (const profile of PROFILES) {
      const document = createMachines(raised(recordingOf(profile)))[kind](3, INSTANT_MS);
      const text = () => goText(plain(document.node(), document.frame));
      const first = text();
      document.program();
      expect(text()).toBe(first);
    }
  },
);
