import { memoized } from '../../base/kernel/memoize.ts';
import { hash32 } from '../../base/kernel/random.ts';
import { HOUR_SECONDS } from '../../base/kernel/units.ts';
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
import type { CustomCheck } from '../host/configuration.ts';
import { existsOn, limitsIn, pluginIn } from '../host/configured-checks.ts';
import { clockOffsetAt, type HostState } from '../host/host-state.ts';
import { inRange, keyOf, smoothNoise, streamLabel, unit, type ValueRange } from '../host/noise.ts';
import type { Fill, Part } from '../host/part.ts';
import { column, type HostTables, oncePerData, readTable } from '../host-data.ts';
import { type Observation, type ObservedChecks, observationOf, PLUGIN_FACTS } from './plugin-facts.ts';

/** The host that runs plugins: its checks, whose statements these repeat, and how to fill them for an earlier time. */
type PluginHost = {
  readonly data: HostTables;
  readonly profile: string;
  readonly checks: ObservedChecks;
  readonly fill: Fill;
};

const CUSTOM = streamLabel('customchecks');
/** What the agent reports about a run without a result: its form of the output, and the exit codes of shells and `timeout`. */
const TIMED_OUT = { form: 1, code: 124 };
const NOT_FOUND = { form: 2, code: 127 };
/** Shares of the plugins that were never installed, and of the runs that take too long. Chosen. */
const MISSING = 0.02;
const SLOW = 0.002;

/** The check `customchecks`. Names are reported in lower case; of equal names, the last one wins. Filled before all other checks. */
export function customChecksCheck(entries: readonly CustomCheck[], pluginHost: PluginHost, cells: Cells): Part {
  const started = entries.filter(isStarted).map((check) => ({ ...check, name: check.name.toLowerCase() }));
  const byName = new Map(started.map((check) => [check.name, check]));
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
      let observed: Observation | undefined;
      let observedSeconds = Number.NaN;
      for (const { intervalSeconds, runs: due, results } of groups) {
        const seconds = lastRunSeconds(host, intervalSeconds);
        if (results.recall(frame, host, seconds)) continue;
        if (observed === undefined || observedSeconds !== seconds) {
          const then = host.earlier(seconds * 1000);
          pluginHost.fill(frame, then);
          observed = observationOf(pluginHost.checks, frame, then);
          observedSeconds = seconds;
        }
        const clock = seconds + Math.floor(clockOffsetAt(host.incidents, seconds * 1000) / 1000);
        for (const { fill, executedCell } of due) {
          fill(frame, observed);
          frame[executedCell] = clock;
        }
        results.keep(frame, host, seconds);
      }
    },
  };
}

/** At most this many hosts of one shape keep their results, in some 2 KB each. A power of two. */
const SLOTS = 4096;

/** Keeps results of plugins that run together, in cells from `first` on: running them takes as long as a document. Not with incidents. */
function keptResults(first: number, count: number) {
  const slots: ({ readonly keys: readonly number[]; readonly values: Float64Array } | undefined)[] = [];
  const slotOf = ({ hostKey }: HostState) => hostKey & (SLOTS - 1);
  const keysOf = ({ hostKey, bootMs, collectionMs, runnerStartMs }: HostState, seconds: number) => {
    return [hostKey, seconds, bootMs + runnerStartMs, collectionMs];
  };
  return {
    recall(frame: CellValues, host: HostState, seconds: number): boolean {
      const kept = slots[slotOf(host)];
      if (kept === undefined || host.incidents.length > 0) return false;
      // The time of a collection may be NaN.
      if (!keysOf(host, seconds).every((key, index) => Object.is(key, kept.keys[index]))) return false;
      for (const [index, value] of kept.values.entries()) frame[(first + index) as Cell] = value;
      return true;
    },
    keep(frame: CellValues, host: HostState, seconds: number): void {
      if (host.incidents.length > 0) return;
      const values = slots[slotOf(host)]?.values ?? new Float64Array(count);
      for (let i = 0; i < count; i++) values[i] = valueAt(frame, (first + i) as Cell);
      slots[slotOf(host)] = { keys: keysOf(host, seconds), values };
    },
  };
}

/** When a plugin ran last, in Unix seconds: on its own schedule from the start of the agent. */
function lastRunSeconds({ runnerStartMs, checkMs }: HostState, intervalSeconds: number): number {
  const start = Math.floor(runnerStartMs / 1000);
  return start + Math.max(0, Math.floor((checkMs / 1000 - start) / intervalSeconds)) * intervalSeconds;
}

function isStarted({ intervalSeconds, timeoutSeconds }: CustomCheck): boolean {
  return timeoutSeconds <= intervalSeconds;
}

function runOf(check: CustomCheck, { data, profile }: PluginHost, cells: Cells) {
  const { name, timeoutSeconds } = check;
  const command = check.command.trim().split(/\s+/).join(' ');
  const { form, code, state, executed } = cells.row('form', 'code', 'state', 'executed');
  const plugin = pluginBehind({ ...check, command }, data, profile);
  const output = plugin && outputOf(plugin, { state }, cells);
  const failures = [
    `Custom check ${command} timed out after ${timeoutSeconds}s seconds`,
    `No such file or directory: '${command}'`,
  ];
  // A check's random stream does not depend on other checks.
  const stream = hash32(0, name) | 0;
  const fill = (frame: CellValues, observed: Observation) => {
    const { hostKey, checkMs } = observed.host;
    const key = keyOf(hostKey, CUSTOM) + stream;
    const isMissing = output === undefined || unit(key, -1) < MISSING;
    const isSlow = unit(key + 1, Math.floor(checkMs / 1000) | 0) < SLOW;
    const failure = isMissing ? NOT_FOUND : isSlow ? TIMED_OUT : undefined;
    frame[form] = failure?.form ?? 0;
    frame[state] = 0;
    if (failure === undefined) output?.fill(frame, observed);
    frame[code] = failure?.code ?? valueAt(frame, state);
  };
  const node: Node = {
    stdout: slot.either(form, [output?.node ?? '', ...failures]),
    rc: slot.integer(code),
    execution_unix_timestamp_sec: slot.integer(executed),
  };
  return { name, node, fill, executedCell: executed };
}

const OUTPUT = {
  plugin: column.text,
  facts: column.names,
  worse: column.oneOf('above', 'below', 'updates'),
  output: column.text,
};
const outputsOf = oncePerData(
  (data) => new Map(readTable(data, 'plugins/outputs.tsv', OUTPUT).map((row) => [row.plugin, row])),
);

/** A plugin that compares facts with thresholds and prints a line. */
type Plugin = {
  readonly facts: readonly string[];
  readonly worse: 'above' | 'below' | 'updates';
  readonly output: string;
  readonly warning: readonly number[];
  readonly critical: readonly number[];
  readonly value: (fact: string, host: Observation) => number;
};

/** The plugin of a command; `undefined` if it looks for software that the hosts do not have. */
function pluginBehind({ name, command }: CustomCheck, data: HostTables, profile: string): Plugin | undefined {
  const program = pluginIn(command);
  const known = outputsOf(data).get(program);
  if (known === undefined) return ownPlugin(name, program);
  if (!existsOn(profile, program)) return undefined;
  const [warning, critical] = [limitsIn(command, 'w'), limitsIn(command, 'c')];
  const thresholds = { warning: warning[0] ?? 0, critical: critical[0] ?? 0 };
  return { ...known, warning, critical, value: (fact, host) => PLUGIN_FACTS[fact]?.(host, thresholds) ?? 0 };
}

/** Numbers of items that such plugins count, relative to the usual one, on a host and at a time. Chosen. */
const ITEMS_OF_HOST: ValueRange = [0.8, 0.3];
const ITEMS_DRIFT = 0.2;
/** Multiples of the usual number at which they warn, and shares of the six-hour spells in which they do. */
const WARNING_ITEMS = 3;
const CRITICAL_ITEMS = 5;
const SPELL_SECONDS = 6 * HOUR_SECONDS;
const CRITICAL_SPELLS = 0.006;
const WARNING_SPELLS = 0.02;

/** A plugin of the administrator's own counts something. */
function ownPlugin(name: string, program: string): Plugin {
  const usual = 5 + (hash32(0, program) % 200);
  const title = program.replace(/^check_|\.\w+$/g, '').toUpperCase();
  return {
    facts: ['items'],
    worse: 'above',
    output: `${title} {state} - {items} items|${name}={items};{w};{c};0`,
    warning: [WARNING_ITEMS * usual],
    critical: [CRITICAL_ITEMS * usual],
    value: (_, { host }) => itemsAt(usual, keyOf(host.hostKey, CUSTOM) + (hash32(0, name) | 0), host.checkMs / 1000),
  };
}

/** Occasionally the number stays above a threshold for hours. */
function itemsAt(usual: number, key: number, seconds: number): number {
  const trouble = unit(key + 2, Math.floor(seconds / SPELL_SECONDS));
  const drift = ITEMS_DRIFT * smoothNoise(key, seconds / HOUR_SECONDS);
  const items = Math.round(usual * (inRange(ITEMS_OF_HOST, unit(key, -2)) + drift));
  return items + usual * (trouble < CRITICAL_SPELLS ? CRITICAL_ITEMS : trouble < WARNING_SPELLS ? WARNING_ITEMS : 0);
}

const STATES = ['OK', 'WARNING', 'CRITICAL'] as const;

/** `{state}`, `{fact}`, `{fact:decimals}`, `{w}` and `{c1:2}` for thresholds, `{when OK|otherwise}`, `{fact?text}` for a fact of 0 or 1. */
const PLACEHOLDER = /\{([^{}]+)\}/;

type PluginOutput = {
  readonly node: Node;
  /** Fills the output and the cell of the state. */
  readonly fill: (frame: CellValues, host: Observation) => void;
};

type Decimal = { readonly fact: string; readonly digits: number; readonly row: Row<'sign' | 'whole' | 'rest'> };

function outputOf(plugin: Plugin, { state }: Row<'state'>, cells: Cells): PluginOutput {
  const decimals: Decimal[] = [];
  const factParts = (placeholder: string): Text['parts'] => {
    const [number = '', text] = placeholder.split('?');
    const [fact = '', digits = '0'] = number.split(':');
    const row = cells.row('sign', 'whole', 'rest');
    decimals.push({ fact, digits: Number(digits), row });
    if (text !== undefined) return [slot.word(row.whole, ['', text])];
    const rest = digits === '0' ? [] : ['.', slot.padded(row.rest, Number(digits))];
    return [slot.word(row.sign, ['', '-']), slot.integer(row.whole), ...rest];
  };
  const parts = plugin.output.split(PLACEHOLDER).flatMap((piece, index): Text['parts'] => {
    if (index % 2 === 0) return [piece];
    if (piece === 'state') return [slot.word(state, STATES)];
    const [well = '', otherwise] = piece.split('|');
    if (otherwise !== undefined) return [slot.word(state, [well, otherwise, otherwise])];
    return limitAt(piece, plugin) ?? factParts(piece);
  });
  return {
    node: slot.text(...parts, '\n'),
    fill(frame, host) {
      const value = memoized(Number.POSITIVE_INFINITY, (fact) => plugin.value(fact, host));
      frame[state] = stateOf(plugin, value);
      for (const decimal of decimals) fillDecimal(frame, decimal, value(decimal.fact));
    },
  };
}

/** A threshold as text; `undefined` if the placeholder is not for one. */
function limitAt(placeholder: string, { warning, critical }: Plugin): readonly string[] | undefined {
  const [, which, number = '1', decimals] = /^([wc])([123])?(?::(\d))?$/.exec(placeholder) ?? [];
  if (which === undefined) return undefined;
  const value = (which === 'w' ? warning : critical)[Number(number) - 1];
  if (value === undefined) return [''];
  return [decimals === undefined ? String(value) : value.toFixed(Number(decimals))];
}

function fillDecimal(frame: CellValues, { digits, row }: Decimal, value: number): void {
  const scale = 10 ** digits;
  // As printf rounds: a value such as 0.0005185 is a little less in binary, so its product with a power of ten rounds up.
  const scaled = Math.round(Number(Math.abs(value).toFixed(digits)) * scale);
  frame[row.sign] = value < 0 && scaled > 0 ? 1 : 0;
  frame[row.whole] = Math.floor(scaled / scale);
  frame[row.rest] = scaled % scale;
}

/** The state of a plugin, which is its exit code: 0 is OK, 1 is WARNING, 2 is CRITICAL. */
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
