import { hash32 } from '../../ground/kernel/random.ts';
import { type CellValues, either, integer, keyed, type Node, type Row, text } from '../document/nodes.ts';
import type { CustomCheck } from '../host/configuration.ts';
import type { HostState } from '../host/host-state.ts';
import { clockOffsetAt } from '../host/incident.ts';
import { keyOf, smoothNoise, streamLabel, unit } from '../host/noise.ts';
import { inTurn, type Part, type PartOf } from '../host/part.ts';
import { numbered } from './prometheus-exporters.ts';

/** A plugin that counts something and compares the count with two thresholds. */
type Plugin = {
  readonly name: string;
  readonly title: string;
  readonly what: string;
  readonly usual: number;
  readonly warning: number;
  readonly critical: number;
};

const PLUGINS = (
  [
    ['check_apt', 'APT', 'packages can be upgraded', 4, 30, 80],
    ['check_backup_age', 'BACKUP', 'hours since the last backup', 11, 26, 50],
    ['check_certificate', 'CERT', 'days have passed since the last renewal', 30, 75, 85],
    ['check_connections', 'CONN', 'established connections', 140, 900, 1500],
    ['check_dns', 'DNS', 'milliseconds until the answer', 12, 100, 500],
    ['check_http', 'HTTP', 'milliseconds until the answer', 85, 400, 1500],
    ['check_mailq', 'MAILQ', 'messages wait in the queue', 2, 20, 100],
    ['check_open_files', 'FILES', 'open files', 5200, 40_000, 60_000],
    ['check_procs', 'PROCS', 'processes', 190, 600, 900],
    ['check_raid', 'RAID', 'disks rebuild or have failed', 0, 1, 2],
    ['check_replication', 'REPLICATION', 'seconds behind', 1, 60, 300],
    ['check_zombies', 'ZOMBIES', 'processes are zombies', 0, 5, 10],
  ] as const
).map(([name, title, what, usual, warning, critical]): Plugin => {
  return { name, title, what, usual, warning, critical };
});

/** A scheduled plugin, and the random stream of its results on a host. */
type Scheduled = {
  readonly plugin: Plugin;
  readonly command: string;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly stream: number;
  readonly row: ResultRow;
};

const CUSTOM = streamLabel('customchecks');
const RESULT = ['text', 'value', 'code', 'executed'] as const;

type ResultRow = Row<(typeof RESULT)[number]>;

const TIMED_OUT = { form: 3, code: 124 };
const NOT_FOUND = { form: 4, code: 127 };

/** The result of a plugin's last run, on its own schedule from the start of the agent. */
function resultPart(scheduled: Scheduled): Part {
  const { plugin, command, timeoutSeconds, row } = scheduled;
  const said = (state: string): Node => {
    const { title, what, name, warning, critical } = plugin;
    const value = integer(row.value);
    return text(`${title} ${state} - `, value, ` ${what}|${name}=`, value, `;${warning};${critical};0\n`);
  };
  const timedOut = `Custom check ${command} timed out after ${timeoutSeconds}s seconds`;
  const notFound = `No such file or directory: '${command}'`;
  return {
    node: {
      stdout: either(row.text, [said('OK'), said('WARNING'), said('CRITICAL'), timedOut, notFound]),
      rc: integer(row.code),
      execution_unix_timestamp_sec: integer(row.executed),
    },
    fill: (frame, host) => fillResult(frame, scheduled, host),
  };
}

function fillResult(frame: CellValues, { plugin, intervalSeconds, stream, row }: Scheduled, host: HostState): void {
  const key = keyOf(host.hostKey, CUSTOM) + stream;
  const start = Math.floor(host.runnerStartMs / 1000);
  const runs = Math.floor((host.checkMs / 1000 - start) / intervalSeconds);
  const executed = start + Math.max(0, runs) * intervalSeconds;
  const result = resultAt(plugin, key, executed);
  frame[row.text] = result.form;
  frame[row.value] = result.value;
  frame[row.code] = result.code;
  frame[row.executed] = executed + Math.floor(clockOffsetAt(host.incidents, executed * 1000) / 1000);
}

/** Most runs succeed. Occasionally a value stays above a threshold for hours, and a few plugins were never installed. */
function resultAt({ usual, warning, critical }: Plugin, key: number, seconds: number) {
  if (unit(key, -1) < 0.02) return { ...NOT_FOUND, value: 0 };
  if (unit(key + 1, seconds | 0) < 0.002) return { ...TIMED_OUT, value: 0 };
  const trouble = unit(key + 2, Math.floor(seconds / 21_600));
  const wander = Math.round(usual * (0.8 + 0.3 * unit(key, -2) + 0.2 * smoothNoise(key, seconds / 3600)));
  if (trouble < 0.006) return { form: 2, code: 2, value: critical + wander };
  if (trouble < 0.02) return { form: 1, code: 1, value: Math.min(critical, warning + wander) };
  return { form: 0, code: 0, value: wander };
}

const NAMES = PLUGINS.map(({ name }) => name);
const INTERVALS_SECONDS = [60, 60, 300, 120] as const;
const TIMEOUT_SECONDS = 15;

/** Entries for `count` plugins, as an administrator would write them. */
export function customCheckEntries(count: number): readonly CustomCheck[] {
  return Array.from({ length: count }, (_, index) => {
    const { warning, critical } = PLUGINS[index % PLUGINS.length] as Plugin;
    const name = numbered(NAMES, index, '_');
    return {
      name,
      command: `/usr/lib/nagios/plugins/${name} -w ${warning} -c ${critical}`,
      intervalSeconds: INTERVALS_SECONDS[index % INTERVALS_SECONDS.length] ?? 60,
      timeoutSeconds: TIMEOUT_SECONDS,
    };
  });
}

/** The check `customchecks` with common monitoring plugins. */
export const customChecksCheck: PartOf<{ readonly count: number }> = ({ count }, cells) => {
  const checks = customCheckEntries(count).map(({ name, ...entry }, index) => {
    const plugin = { ...(PLUGINS[index % PLUGINS.length] as Plugin), name };
    return [name, resultPart({ ...entry, plugin, stream: 31 * index, row: cells.row(...RESULT) })] as const;
  });
  const sorted = [...checks].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return {
    node: Object.fromEntries(sorted.map(([name, { node }]) => [name, node])),
    fill: inTurn(checks.map(([, { fill }]) => fill)),
  };
};

/** The check `customchecks` with configured plugins. Names are reported in lower case; of equal names, the last one wins. */
export const configuredCustomChecks: PartOf<readonly CustomCheck[]> = (checks, cells) => {
  const byName = new Map(checks.filter(isStarted).map((check) => [check.name.toLowerCase(), check]));
  const sorted = [...byName].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const parts = sorted.map(([name, check]) => {
    const { intervalSeconds, timeoutSeconds } = check;
    const command = check.command.trim().split(/\s+/).join(' ');
    const run = { plugin: pluginBehind(name, command), command, intervalSeconds, timeoutSeconds };
    // A check's random stream does not depend on other checks.
    return { name, part: resultPart({ ...run, stream: hash32(0, name) | 0, row: cells.row(...RESULT) }) };
  });
  return {
    // Not an object: that would put numeric names before all others.
    node: keyed(parts.map(({ name, part }) => ({ key: text(name), value: part.node }))),
    fill: inTurn(parts.map(({ part }) => part.fill)),
  };
};

function isStarted({ intervalSeconds, timeoutSeconds }: CustomCheck): boolean {
  return timeoutSeconds <= intervalSeconds;
}

/** The plugin behind a command. One with an unknown program counts items of its own. */
function pluginBehind(name: string, command: string): Plugin {
  const program = command.split(' ')[0]?.split(/[\\/]/).at(-1) ?? '';
  const known = PLUGINS.find((plugin) => plugin.name === program);
  if (known !== undefined) return { ...known, name };
  const usual = 5 + (hash32(0, program) % 200);
  const title = program.replace(/^check_/, '').replace(/\.\w+$/, '');
  return { name, title: title.toUpperCase(), what: 'items', usual, warning: 3 * usual, critical: 5 * usual };
}
