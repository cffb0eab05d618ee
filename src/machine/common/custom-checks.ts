import { hash32 } from '../../kernel/random.ts';
import { keyed, text } from '../document/nodes.ts';
import type { CustomCheck } from '../host-configuration.ts';
import { inTurn, type PartOf } from '../part.ts';
import { PLUGINS, type Plugin, RESULT, resultPart } from './plugin-results.ts';
import { numbered } from './prometheus-exporters.ts';

const NAMES = PLUGINS.map(({ name }) => name);
const INTERVALS_SECONDS = [60, 60, 300, 120] as const;
const TIMEOUT_SECONDS = 15;

/** The plugins of a host that has so many, as an administrator would have written them down. */
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

/** The check `customchecks` with plugins that monitoring usually runs. */
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

/** The check `customchecks` with the plugins of an administrator. Names are told in lower case, of equal ones the last. */
export const configuredCustomChecks: PartOf<readonly CustomCheck[]> = (checks, cells) => {
  const byName = new Map(checks.filter(isStarted).map((check) => [check.name.toLowerCase(), check]));
  const sorted = [...byName].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const parts = sorted.map(([name, check]) => {
    const { intervalSeconds, timeoutSeconds } = check;
    const command = check.command.trim().split(/\s+/).join(' ');
    const run = { plugin: pluginBehind(name, command), command, intervalSeconds, timeoutSeconds };
    // A check keeps its stream, whichever others there are.
    return { name, part: resultPart({ ...run, stream: hash32(0, name) | 0, row: cells.row(...RESULT) }) };
  });
  return {
    // Not an object: that would tell names that are numbers before all others.
    node: keyed(parts.map(({ name, part }) => ({ key: text(name), value: part.node }))),
    fill: inTurn(parts.map(({ part }) => part.fill)),
  };
};

function isStarted({ intervalSeconds, timeoutSeconds }: CustomCheck): boolean {
  return timeoutSeconds <= intervalSeconds;
}

/** What the program of a command reports; one that is not known counts something of its own. */
function pluginBehind(name: string, command: string): Plugin {
  const program = command.split(' ')[0]?.split(/[\\/]/).at(-1) ?? '';
  const known = PLUGINS.find((plugin) => plugin.name === program);
  if (known !== undefined) return { ...known, name };
  const usual = 5 + (hash32(0, program) % 200);
  const title = program.replace(/^check_/, '').replace(/\.\w+$/, '');
  return { name, title: title.toUpperCase(), what: 'items', usual, warning: 3 * usual, critical: 5 * usual };
}
