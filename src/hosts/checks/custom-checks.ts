import { hash32 } from '../../base/kernel/random.ts';
import { DAY_SECONDS, GIB, HOUR_SECONDS, MIB } from '../../base/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Node,
  type Row,
  slot,
  type Text,
  valueAt,
} from '../document/nodes.ts';
import { plain, presentIn } from '../document/plain.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import type { CustomCheck } from '../host/configuration.ts';
import { existsOn, limitsIn, pluginIn } from '../host/configured-checks.ts';
import type { HostState } from '../host/host-state.ts';
import { clockOffsetAt } from '../host/incident.ts';
import { keyOf, smoothNoise, streamLabel, unit } from '../host/noise.ts';
import type { Fill, Part } from '../host/part.ts';
import { offsetAt } from '../host/site.ts';
import { column, type HostTables, oncePerData, readTable } from '../host-data.ts';
import { ntpOffsetOf } from './ntp.ts';

/** What a plugin finds on a host whose checks have been filled for the time at which it runs. */
export type Observed = {
  readonly checks: Readonly<Record<string, Node | undefined>>;
  readonly frame: CellValues;
  readonly host: HostState;
  /** First thresholds of the plugin. */
  readonly warning: number;
  readonly critical: number;
  /** What was read for this time. */
  readonly seen: Map<string, unknown>;
};

type Fact = (found: Observed) => number;

const BACKUP = streamLabel('customchecks.backup');

function once<Value>({ seen }: Observed, name: string, make: () => Value): Value {
  if (!seen.has(name)) seen.set(name, make());
  return seen.get(name) as Value;
}

/** Reads a check as the agent reports it. A check that is disabled or failed has no values. */
function read<Value>(found: Observed, check: string): Partial<Value> {
  return once(found, check, () => (plain(found.checks[check] ?? {}, found.frame) ?? {}) as Partial<Value>);
}

type Usage = { readonly total: number; readonly used: number; readonly free: number; readonly percent: number };

function listed({ checks, frame }: Observed, check: string): readonly Node[] {
  const node = checks[check];
  return Array.isArray(node) ? presentIn(node, frame) : [];
}

/** The first file system: `/`, or the first drive. */
function disk(found: Observed): Usage {
  return once(found, 'first disk', () => {
    const [first] = listed(found, 'disks');
    const entry = first === undefined ? {} : (plain(first, found.frame) as { readonly usage?: Usage });
    return entry.usage ?? { total: 0, used: 0, free: 0, percent: 0 };
  });
}

const size = (found: Observed) => disk(found).used + disk(found).free;
const swap = (found: Observed) => read<Usage>(found, 'swap');
const swapTotal = (found: Observed) => swap(found).total ?? 0;
const swapFree = (found: Observed) => swapTotal(found) - (swap(found).used ?? 0);
const memory = (found: Observed) => read<Usage>(found, 'memory');
const load = (minutes: '0' | '1' | '2') => (found: Observed) =>
  read<Record<typeof minutes, number>>(found, 'system_load')[minutes] ?? 0;

type Packages = { readonly Stats: { readonly UpgradablePackages: number; readonly SecurityUpdates: number } };

const updates = (found: Observed) => read<Packages>(found, 'packagemanager').Stats;

function isZombie(process: Node): boolean {
  const { status } = process as { readonly [key: string]: Node };
  return Array.isArray(status) && status[0] === 'Zombie';
}

/** Starts automatically, and stops when it has nothing to do. */
const SELF_STOPPING = 'sppsvc';

/** Services that start automatically and were stopped. */
function stoppedServices(found: Observed): number {
  return listed(found, 'windows_services').filter((node) => {
    const { StartType, Status, Name } = node as { readonly [key: string]: Node };
    return (
      StartType === 'Auto' &&
      Status !== 'Stopped' &&
      Name !== SELF_STOPPING &&
      plain(Status ?? null, found.frame) === 'Stopped'
    );
  }).length;
}

/** Backups are made every night at an hour of the host's own. One occasionally fails. */
function backupAge({ host }: Observed): number {
  const key = keyOf(host.hostKey, BACKUP);
  const now = secondsSinceEpoch(host.checkMs);
  const local = now + offsetAt(host.site, now) - Math.floor(HOUR_SECONDS * (1 + 3 * unit(key, -1)));
  let day = Math.floor(local / DAY_SECONDS);
  while (unit(key, day) < 0.01) day--;
  return local - day * DAY_SECONDS;
}

/** Facts by name, as in the outputs of plugins. */
const PLUGIN_FACTS: Readonly<Record<string, Fact>> = {
  always: () => 0,
  load1: load('0'),
  load5: load('1'),
  load15: load('2'),
  processes: (found) => listed(found, 'processes').length,
  zombies: (found) => listed(found, 'processes').filter(isZombie).length,
  users: (found) => listed(found, 'users').length,
  free_mib: (found) => Math.floor(disk(found).free / MIB),
  free_percent: (found) => 100 - disk(found).percent,
  inode_percent: (found) => Math.round(98 - 0.3 * disk(found).percent),
  used_mib: (found) => Math.floor(disk(found).used / MIB),
  used_gb: (found) => disk(found).used / GIB,
  used_percent: (found) => disk(found).percent,
  size_mib: (found) => Math.floor(size(found) / MIB),
  size_gb: (found) => size(found) / GIB,
  warning_mib: (found) => Math.floor((size(found) / MIB) * (1 - found.warning / 100)),
  critical_mib: (found) => Math.floor((size(found) / MIB) * (1 - found.critical / 100)),
  swap_mb: (found) => Math.floor(swapTotal(found) / MIB),
  swap_used_mb: (found) => Math.floor((swapTotal(found) - swapFree(found)) / MIB),
  swap_free_mb: (found) => Math.floor(swapFree(found) / MIB),
  swap_percent: (found) => swap(found).percent ?? 0,
  swap_free_percent: (found) => Math.floor((swapFree(found) / swapTotal(found)) * 100 || 0),
  // With `-n ok`, a host without swap is well.
  swap_margin: (found) => (swapTotal(found) === 0 ? 100 : Math.floor((swapFree(found) / swapTotal(found)) * 100)),
  without_swap: (found) => (swapTotal(found) === 0 ? 1 : 0),
  swap_warning_mb: (found) => Math.floor((swapTotal(found) / MIB) * (found.warning / 100)),
  swap_critical_mb: (found) => Math.floor((swapTotal(found) / MIB) * (found.critical / 100)),
  memory_percent: (found) => memory(found).percent ?? 0,
  memory_kb: (found) => Math.floor((memory(found).total ?? 0) / 1024),
  memory_used_kb: (found) => Math.floor((memory(found).used ?? 0) / 1024),
  memory_free_kb: (found) => Math.floor(((memory(found).total ?? 0) - (memory(found).used ?? 0)) / 1024),
  memory_gb: (found) => (memory(found).total ?? 0) / GIB,
  memory_used_gb: (found) => (memory(found).used ?? 0) / GIB,
  upgradable: (found) => updates(found)?.UpgradablePackages ?? 0,
  security: (found) => updates(found)?.SecurityUpdates ?? 0,
  uptime: ({ host }) => host.uptimeSeconds,
  days: ({ host }) => Math.floor(host.uptimeSeconds / DAY_SECONDS),
  hours: ({ host }) => Math.floor(host.uptimeSeconds / HOUR_SECONDS) % 24,
  minutes: ({ host }) => Math.floor(host.uptimeSeconds / 60) % 60,
  offset: ({ host }) => ntpOffsetOf(host),
  offset_size: ({ host }) => Math.abs(ntpOffsetOf(host)),
  backup_age: backupAge,
  backup_bytes: ({ host }) => 4_000_000 + Math.floor(9e9 * unit(keyOf(host.hostKey, BACKUP), -2) ** 3),
  cpu: (found) => Math.round(read<{ readonly cpu_total_percentage: number }>(found, 'cpu').cpu_total_percentage ?? 0),
  cpu_1m: ({ host }) => Math.round(100 * Math.min(1, host.load1 + (1 - host.load1) * host.saturation.minute)),
  cpu_5m: ({ host }) => Math.round(100 * Math.min(1, host.load5 + (1 - host.load5) * host.saturation.fiveMinutes)),
  stopped_services: stoppedServices,
};

/** What custom checks are made for: the checks of a host, whose statements they repeat, and how to fill them for an earlier time. */
type PluginHost = {
  readonly data: HostTables;
  readonly profile: string;
  readonly checks: Readonly<Record<string, Node | undefined>>;
  readonly fill: Fill;
};

const CUSTOM = streamLabel('customchecks');
const STATES = ['OK', 'WARNING', 'CRITICAL'] as const;
const TIMED_OUT = { form: 1, code: 124 };
const NOT_FOUND = { form: 2, code: 127 };
/** Shares of the plugins that were never installed, and of the runs that take too long. */
const MISSING = 0.02;
const SLOW = 0.002;

const OUTPUT = {
  plugin: column.text,
  facts: column.names,
  worse: column.oneOf('above', 'below', 'updates'),
  output: column.text,
};
const outputsOf = oncePerData(
  (data) => new Map(readTable(data, 'plugins/outputs.tsv', OUTPUT).map((row) => [row.plugin, row])),
);

/** A plugin that compares something with thresholds and prints a line. */
type Plugin = {
  readonly facts: readonly string[];
  readonly worse: 'above' | 'below' | 'updates';
  readonly output: string;
  readonly warning: readonly number[];
  readonly critical: readonly number[];
  readonly value: (fact: string, found: Observed) => number;
};

function pluginBehind({ name, command }: CustomCheck, { data, profile }: PluginHost): Plugin | undefined {
  const program = pluginIn(command);
  const known = outputsOf(data).get(program);
  if (known !== undefined) {
    if (!existsOn(profile, program)) return undefined;
    const [warning, critical] = [limitsIn(command, 'w'), limitsIn(command, 'c')];
    return { ...known, warning, critical, value: (fact, found) => PLUGIN_FACTS[fact]?.(found) ?? 0 };
  }
  // A plugin of the administrator's own counts something.
  const usual = 5 + (hash32(0, program) % 200);
  const title = program
    .replace(/^check_/, '')
    .replace(/\.\w+$/, '')
    .toUpperCase();
  return {
    facts: ['items'],
    worse: 'above',
    output: `${title} {state} - {items} items|${name}={items};{w};{c};0`,
    warning: [3 * usual],
    critical: [5 * usual],
    value: (_, { host }) => itemsAt(usual, keyOf(host.hostKey, CUSTOM) + (hash32(0, name) | 0), host.checkMs / 1000),
  };
}

/** Occasionally the number stays above a threshold for hours. */
function itemsAt(usual: number, key: number, seconds: number): number {
  const trouble = unit(key + 2, Math.floor(seconds / 21_600));
  const wander = Math.round(usual * (0.8 + 0.3 * unit(key, -2) + 0.2 * smoothNoise(key, seconds / 3600)));
  return wander + (trouble < 0.006 ? 5 * usual : trouble < 0.02 ? 3 * usual : 0);
}

/** The check `customchecks`. Names are reported in lower case; of equal names, the last one wins. Filled before all other checks. */
export function customChecksCheck(entries: readonly CustomCheck[], pluginHost: PluginHost, cells: Cells): Part {
  const byName = new Map(
    entries.filter(isStarted).map((check) => [check.name.toLowerCase(), { ...check, name: check.name.toLowerCase() }]),
  );
  const groups = [...Map.groupBy(byName.values(), ({ intervalSeconds }) => intervalSeconds)].map(
    ([intervalSeconds, due]) => {
      const first = cells.count();
      const runs = due.map((check) => runOf(check, pluginHost, cells));
      return { intervalSeconds, runs, results: keptResults(first, cells.count() - first) };
    },
  );
  const runs = groups.flatMap((group) => group.runs);
  const sorted = runs.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  return {
    // Not an object: that would put numeric names before all others.
    node: slot.keyed(sorted.map(({ name, node }) => ({ key: slot.text(name), value: node }))),
    fill(frame, host) {
      let filledFor = Number.NaN;
      let seen = new Map<string, unknown>();
      for (const { intervalSeconds, runs: due, results } of groups) {
        const executed = executedAt(host, intervalSeconds);
        if (results.recall(frame, host, executed)) continue;
        const then = host.earlier(executed * 1000);
        if (filledFor !== executed) {
          pluginHost.fill(frame, then);
          seen = new Map();
        }
        filledFor = executed;
        const clock = executed + Math.floor(clockOffsetAt(host.incidents, executed * 1000) / 1000);
        for (const { fill, executedCell } of due) {
          fill(frame, { host: then, checks: pluginHost.checks, seen });
          frame[executedCell] = clock;
        }
        results.keep(frame, host, executed);
      }
    },
  };
}

/** At most this many hosts of one shape keep their results, in some 2 KB each. */
const SLOTS = 4096;

/**
 * Keeps the last results of plugins that run together, in cells from `first` on: running them takes as long as a document. Hosts whose
 * keys end in the same bits share a slot. Incidents change results, so those of hosts with incidents are not kept.
 */
function keptResults(first: number, count: number) {
  const slots: ({ readonly keys: readonly number[]; readonly values: Float64Array } | undefined)[] = [];
  const keysOf = ({ hostKey, bootMs, collectionMs, runnerStartMs }: HostState, executed: number) => {
    return [hostKey, executed, bootMs + runnerStartMs, collectionMs];
  };
  return {
    recall(frame: CellValues, host: HostState, executed: number): boolean {
      const kept = slots[host.hostKey & (SLOTS - 1)];
      if (kept === undefined || host.incidents.length > 0) return false;
      // The time of a collection may be NaN.
      if (!keysOf(host, executed).every((key, index) => Object.is(key, kept.keys[index]))) return false;
      for (let i = 0; i < count; i++) frame[(first + i) as Cell] = kept.values[i] as number;
      return true;
    },
    keep(frame: CellValues, host: HostState, executed: number): void {
      if (host.incidents.length > 0) return;
      const place = host.hostKey & (SLOTS - 1);
      const values = slots[place]?.values ?? new Float64Array(count);
      for (let i = 0; i < count; i++) values[i] = valueAt(frame, (first + i) as Cell);
      slots[place] = { keys: keysOf(host, executed), values };
    },
  };
}

/** The last run of a plugin, on its own schedule from the start of the agent. */
function executedAt({ runnerStartMs, checkMs }: HostState, intervalSeconds: number): number {
  const start = Math.floor(runnerStartMs / 1000);
  return start + Math.max(0, Math.floor((checkMs / 1000 - start) / intervalSeconds)) * intervalSeconds;
}

function isStarted({ intervalSeconds, timeoutSeconds }: CustomCheck): boolean {
  return timeoutSeconds <= intervalSeconds;
}

function runOf(check: CustomCheck, pluginHost: PluginHost, cells: Cells) {
  const { name, timeoutSeconds } = check;
  const command = check.command.trim().split(/\s+/).join(' ');
  const { form, code, state, executed } = cells.row('form', 'code', 'state', 'executed');
  const plugin = pluginBehind({ ...check, command }, pluginHost);
  const output = plugin === undefined ? undefined : outputOf(plugin, { state }, cells);
  const said = output?.node ?? '';
  const failed = [
    `Custom check ${command} timed out after ${timeoutSeconds}s seconds`,
    `No such file or directory: '${command}'`,
  ];
  // A check's random stream does not depend on other checks.
  const stream = hash32(0, name) | 0;
  const fill = (frame: CellValues, at: At) => {
    const { host } = at;
    const key = keyOf(host.hostKey, CUSTOM) + stream;
    const isMissing = plugin === undefined || unit(key, -1) < MISSING;
    const isSlow = unit(key + 1, Math.floor(host.checkMs / 1000) | 0) < SLOW;
    const failure = isMissing ? NOT_FOUND : isSlow ? TIMED_OUT : undefined;
    frame[form] = failure?.form ?? 0;
    frame[state] = 0;
    if (failure === undefined && output !== undefined) output.fill(frame, at);
    frame[code] = failure?.code ?? (frame[state] as number);
  };
  const node: Node = {
    stdout: slot.either(form, [said, ...failed]),
    rc: slot.integer(code),
    execution_unix_timestamp_sec: slot.integer(executed),
  };
  return { name, node, fill, executedCell: executed };
}

/**
 * Places of an output: `{state}`, `{fact}`, `{fact:decimals}`, `{w}` and `{c1:2}` for thresholds, `{when OK|otherwise}`, and
 * `{fact?text}` for a fact that is 0 or 1.
 */
const PLACE = /\{([^{}]+)\}/;

type At = Pick<Observed, 'host' | 'checks' | 'seen'>;

type Output = {
  readonly node: Node;
  readonly fill: (frame: CellValues, at: At) => void;
};

/** A number with a fixed number of decimals. */
type Shown = { readonly fact: string; readonly digits: number; readonly row: Row<'sign' | 'whole' | 'rest'> };

function outputOf(plugin: Plugin, { state }: Row<'state'>, cells: Cells): Output {
  const shown: Shown[] = [];
  const factAt = (place: string): Text['parts'] => {
    const [number = '', text] = place.split('?');
    const [fact = '', digits = '0'] = number.split(':');
    const row = cells.row('sign', 'whole', 'rest');
    shown.push({ fact, digits: Number(digits), row });
    if (text !== undefined) return [slot.word(row.whole, ['', text])];
    const rest = digits === '0' ? [] : ['.', slot.padded(row.rest, Number(digits))];
    return [slot.word(row.sign, ['', '-']), slot.integer(row.whole), ...rest];
  };
  const parts = plugin.output.split(PLACE).flatMap((piece, index): Text['parts'] => {
    if (index % 2 === 0) return [piece];
    if (piece === 'state') return [slot.word(state, STATES)];
    const [well = '', otherwise] = piece.split('|');
    if (otherwise !== undefined) return [slot.word(state, [well, otherwise, otherwise])];
    return limitAt(piece, plugin) ?? factAt(piece);
  });
  return {
    node: slot.text(...parts, '\n'),
    fill: (frame, at) => fillOutput(frame, { plugin, shown, state }, at),
  };
}

/** A threshold as text; `undefined` if the place is not for one. */
function limitAt(place: string, { warning, critical }: Plugin): readonly string[] | undefined {
  const [, which, number = '1', decimals] = /^([wc])([123])?(?::(\d))?$/.exec(place) ?? [];
  if (which === undefined) return undefined;
  const value = (which === 'w' ? warning : critical)[Number(number) - 1];
  if (value === undefined) return [''];
  return [decimals === undefined ? String(value) : value.toFixed(Number(decimals))];
}

type Filling = { readonly plugin: Plugin; readonly shown: readonly Shown[] } & Row<'state'>;

function fillOutput(frame: CellValues, { plugin, shown, state }: Filling, at: At): void {
  const [warning = 0] = plugin.warning;
  const [critical = 0] = plugin.critical;
  const found = { ...at, frame, warning, critical };
  const known = new Map<string, number>();
  const value = (fact: string) => {
    const seen = known.get(fact) ?? plugin.value(fact, found);
    known.set(fact, seen);
    return seen;
  };
  frame[state] = stateOf(plugin, value);
  for (const { fact, digits, row } of shown) {
    const scale = 10 ** digits;
    // As printf rounds: a value such as 0.0005185 is a little less in binary, so its product with a power of ten rounds up.
    const whole = Math.round(Number(Math.abs(value(fact)).toFixed(digits)) * scale);
    frame[row.sign] = value(fact) < 0 && whole > 0 ? 1 : 0;
    frame[row.whole] = Math.floor(whole / scale);
    frame[row.rest] = whole % scale;
  }
}

function stateOf({ facts, worse, warning, critical }: Plugin, value: (fact: string) => number): number {
  const exceeds = (limits: readonly number[]) =>
    facts.some((fact, index) => {
      const limit = limits[index];
      if (limit === undefined) return false;
      return worse === 'below' ? value(fact) < limit : value(fact) > limit;
    });
  if (worse === 'updates') return value('security') > 0 ? 2 : value('upgradable') > 0 ? 1 : 0;
  if (exceeds(critical)) return 2;
  return exceeds(warning) ? 1 : 0;
}
