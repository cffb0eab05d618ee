/**
 * Prints the shares of a mixed fleet that a monitoring server would consider OK, WARNING and CRITICAL over a month, with the
 * thresholds that it proposes, for docs/developers/hosts.md. Run by hand after a change to the behavior of hosts:
 *
 *     node scripts/host-states.ts
 */

import { fileURLToPath } from 'node:url';
import { readHostData } from '../src/base/storage/host-data.ts';
import { compilePayloads } from '../src/hosts/payloads.ts';

const HOSTS = 2000;
const HOUR_MS = 3_600_000;
const DAYS = 30;
/** The start of November 2026, whose second Tuesday is the 10th. */
const FROM_MS = Date.UTC(2026, 10, 1);
const HOURS_OF_DAY = [3, 9, 13, 20];
const PROFILES = {
  'ubuntu-24.04': 30,
  'debian-12': 20,
  'almalinux-9': 15,
  'opensuse-tumbleweed': 3,
  arch: 2,
  'windows-11': 10,
  'windows-server-2022': 15,
  'macos-26': 3,
  'macos-15': 2,
};

type State = 'ok' | 'warning' | 'critical';
type Checks = {
  readonly cpu: { readonly cpu_total_percentage: number };
  readonly memory: { readonly percent: number };
  readonly swap: { readonly percent: number };
  readonly system_load?: Readonly<Record<'0', number>>;
  readonly disk_io: Readonly<Record<string, { readonly LoadPercent: number }>>;
  readonly disks: readonly {
    readonly disk: { readonly fstype: string };
    readonly usage: { readonly percent: number };
  }[];
  readonly packagemanager: {
    readonly Stats?: { readonly UpgradablePackages: number; readonly SecurityUpdates: number };
  };
  readonly agent: { readonly system_uptime: number; readonly goos: string };
};

const SERVICES: Readonly<Record<string, (checks: Checks, cores: number) => State>> = {
  CPU: ({ cpu }) => above(cpu.cpu_total_percentage, 85, 90),
  load: ({ system_load }, cores) => above(system_load?.[0] ?? 0, cores, cores + 2),
  memory: ({ memory }) => above(memory.percent, 80, 90),
  swap: ({ swap }) => above(swap.percent, 40, 80),
  'disk load': ({ disk_io }) => above(most(Object.values(disk_io).map(({ LoadPercent }) => LoadPercent)), 60, 80),
  'fullest disk': ({ disks }) => {
    const written = disks.filter(({ disk }) => disk.fstype !== 'squashfs');
    return above(most(written.map(({ usage }) => usage.percent)), 80, 90);
  },
  updates: ({ packagemanager: { Stats } }) => {
    if ((Stats?.SecurityUpdates ?? 0) > 0) return 'critical';
    return (Stats?.UpgradablePackages ?? 0) > 0 ? 'warning' : 'ok';
  },
};

function above(value: number, warning: number, critical: number): State {
  if (value > critical) return 'critical';
  return value > warning ? 'warning' : 'ok';
}

function most(values: readonly number[]): number {
  return Math.max(0, ...values);
}

type Counts = Record<State, number>;

/** How often services were in each state, and updates on the evening of each day. */
type States = { readonly byService: ReadonlyMap<string, Counts>; readonly updatesByDay: readonly Counts[] };

/** @param one out of how many hosts is looked at each time, other ones at the next time; all take minutes */
export function statesOfMonth(one: number): States {
  const payloads = compilePayloads({
    data: readHostData(),
    seed: 1,
    profiles: PROFILES,
    payload: 'typical',
    checkIntervalSeconds: 60,
  });
  const out = Buffer.alloc(1 << 20);
  const byService = new Map(Object.keys(SERVICES).map((service) => [service, noCounts()]));
  const updatesByDay = Array.from({ length: DAYS }, noCounts);
  for (let time = 0; time < DAYS * HOURS_OF_DAY.length; time++) {
    const [day, hour] = [Math.floor(time / HOURS_OF_DAY.length), HOURS_OF_DAY[time % HOURS_OF_DAY.length] as number];
    for (let agent = time % one; agent < HOSTS; agent += one) {
      // Monitoring servers distribute their checks over the hour.
      const instantMs = FROM_MS + (24 * day + hour) * HOUR_MS + ((agent * 7919) % HOUR_MS);
      const checks: Checks & { readonly cpu: { readonly cpu_percentage: readonly number[] } } = JSON.parse(
        out.toString('utf8', 0, payloads.writeCheckdata(out, 0, agent, instantMs)),
      );
      for (const [service, stateOf] of Object.entries(SERVICES)) {
        const state = stateOf(checks, checks.cpu.cpu_percentage.length);
        count(byService.get(service), state);
        if (service === 'updates' && hour === HOURS_OF_DAY.at(-1)) count(updatesByDay[day], state);
      }
    }
  }
  return { byService, updatesByDay };
}

function noCounts(): Counts {
  return { ok: 0, warning: 0, critical: 0 };
}

function count(counts: Counts | undefined, state: State): void {
  if (counts !== undefined) counts[state]++;
}

export function shares({ ok, warning, critical }: Counts): readonly number[] {
  return [ok, warning, critical].map((number) => (100 * number) / (ok + warning + critical));
}

function text({ byService, updatesByDay }: States): string {
  const head = (first: string) => `| ${first} | OK | WARNING | CRITICAL |\n| --- | --- | --- | --- |`;
  const day = (number: number) => new Date(FROM_MS + 24 * HOUR_MS * number).toISOString().slice(0, 10);
  const row = (name: string, counts: Counts) =>
    `| ${[name, ...shares(counts).map((share) => `${share.toFixed(1)}%`)].join(' | ')} |`;
  const lines = [
    head('Service'),
    ...[...byService].map(([service, counts]) => row(service, counts)),
    '',
    head('Updates on the evening of'),
    ...updatesByDay.map((counts, number) => row(day(number), counts)),
  ];
  return `${lines.join('\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(text(statesOfMonth(1)));
