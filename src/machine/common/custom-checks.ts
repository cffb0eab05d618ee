import type { CellValues, Row } from '../document/cells.ts';
import { either, integer, type Node, text } from '../document/nodes.ts';
import { clockOffsetAt } from '../incidents/effects.ts';
import { inTurn, type Part, type PartOf } from '../part.ts';
import { keyOf, type Moment, streamLabel } from '../time/moment.ts';
import { smoothNoise, unit } from '../time/noise.ts';
import { numbered } from './prometheus-exporters.ts';
import { textTable } from './text-table.ts';

/** A plugin that counts something and compares the number with two thresholds. */
type Plugin = {
  readonly name: string;
  readonly title: string;
  readonly what: string;
  readonly usual: number;
  readonly warning: number;
  readonly critical: number;
};

const PLUGINS = textTable(`
  check_apt | APT | packages can be upgraded | 4 | 30 | 80
  check_backup_age | BACKUP | hours since the last backup | 11 | 26 | 50
  check_certificate | CERT | days have passed since the last renewal | 30 | 75 | 85
  check_connections | CONN | established connections | 140 | 900 | 1500
  check_dns | DNS | milliseconds until the answer | 12 | 100 | 500
  check_http | HTTP | milliseconds until the answer | 85 | 400 | 1500
  check_mailq | MAILQ | messages wait in the queue | 2 | 20 | 100
  check_open_files | FILES | open files | 5200 | 40000 | 60000
  check_procs | PROCS | processes | 190 | 600 | 900
  check_raid | RAID | disks rebuild or have failed | 0 | 1 | 2
  check_replication | REPLICATION | seconds behind | 1 | 60 | 300
  check_zombies | ZOMBIES | processes are zombies | 0 | 5 | 10
`).map(([name = '', title = '', what = '', ...numbers]): Plugin => {
  const [usual = 0, warning = 0, critical = 0] = numbers.map(Number);
  return { name, title, what, usual, warning, critical };
});
const NAMES = PLUGINS.map(({ name }) => name);

/** How the administrator has written a plugin down for the agent. */
export type CustomCheckEntry = {
  readonly name: string;
  readonly command: string;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
};

const CUSTOM = streamLabel('customchecks');
const INTERVALS_SECONDS = [60, 60, 300, 120] as const;
const TIMEOUT_SECONDS = 15;
const RESULT = ['text', 'value', 'code', 'executed'] as const;
const TIMED_OUT = { form: 3, code: 124 };
const NOT_FOUND = { form: 4, code: 127 };

/** The plugins of a host that has so many. */
export function customCheckEntries(count: number): readonly CustomCheckEntry[] {
  return pluginsOf(count).map(({ name, warning, critical }, index) => ({
    name,
    command: `/usr/lib/nagios/plugins/${name} -w ${warning} -c ${critical}`,
    intervalSeconds: INTERVALS_SECONDS[index % INTERVALS_SECONDS.length] as number,
    timeoutSeconds: TIMEOUT_SECONDS,
  }));
}

function pluginsOf(count: number): readonly Plugin[] {
  return Array.from({ length: count }, (_, index) => {
    const plugin = PLUGINS[index % PLUGINS.length] as Plugin;
    return { ...plugin, name: numbered(NAMES, index, '_') };
  });
}

/** The check `customchecks`: what each plugin said when it last ran, on its own schedule from the agent's start. */
export const customChecksCheck: PartOf<{ readonly count: number }> = ({ count }, cells) => {
  const plugins = pluginsOf(count);
  const checks = customCheckEntries(count).map((entry, index) => {
    const plugin = plugins[index] as Plugin;
    return [entry.name, checkPart(plugin, { index, entry, row: cells.row(...RESULT) })] as const;
  });
  const sorted = [...checks].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return {
    node: Object.fromEntries(sorted.map(([name, { node }]) => [name, node])),
    fill: inTurn(checks.map(([, { fill }]) => fill)),
  };
};

type Result = Row<(typeof RESULT)[number]>;
type Scheduled = { readonly index: number; readonly entry: CustomCheckEntry; readonly row: Result };

function checkPart(plugin: Plugin, { index, entry, row }: Scheduled): Part {
  const { command, timeoutSeconds, intervalSeconds } = entry;
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
    fill: (frame, moment) => fillResult(frame, row, { plugin, index, intervalSeconds, moment }),
  };
}

type Run = {
  readonly plugin: Plugin;
  readonly index: number;
  readonly intervalSeconds: number;
  readonly moment: Moment;
};

function fillResult(frame: CellValues, row: Result, { plugin, index, intervalSeconds, moment }: Run): void {
  const key = keyOf(moment.hostKey, CUSTOM) + 31 * index;
  const start = Math.floor(moment.agentStartMs / 1000);
  const executed = start + Math.floor((moment.checkMs / 1000 - start) / intervalSeconds) * intervalSeconds;
  const result = resultAt(plugin, key, executed);
  frame[row.text] = result.form;
  frame[row.value] = result.value;
  frame[row.code] = result.code;
  frame[row.executed] = executed + Math.floor(clockOffsetAt(moment.incidents, executed * 1000) / 1000);
}

/** Most runs are well; now and then a number stays above a threshold for hours, and a few plugins were never installed. */
function resultAt({ usual, warning, critical }: Plugin, key: number, seconds: number) {
  if (unit(key, -1) < 0.02) return { ...NOT_FOUND, value: 0 };
  if (unit(key + 1, seconds | 0) < 0.002) return { ...TIMED_OUT, value: 0 };
  const trouble = unit(key + 2, Math.floor(seconds / 21_600));
  const wander = Math.round(usual * (0.8 + 0.3 * unit(key, -2) + 0.2 * smoothNoise(key, seconds / 3600)));
  if (trouble < 0.006) return { form: 2, code: 2, value: critical + wander };
  if (trouble < 0.02) return { form: 1, code: 1, value: Math.min(critical, warning + wander) };
  return { form: 0, code: 0, value: wander };
}
