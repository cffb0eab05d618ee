import { hash32 } from '../../base/kernel/random.ts';
import { type Cell, type Cells, type CellValues, type Node, slot, valueAt } from '../document/nodes.ts';
import type { CustomCheck } from '../host/configuration.ts';
import type { HostState } from '../host/host-state.ts';
import { clockOffsetAt } from '../host/incident.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import type { Fill, Part } from '../host/part.ts';
import type { HostTables } from '../host-data.ts';
import { type Observation, type ObservedChecks, observationOf } from './plugin-facts.ts';
import { outputOf, pluginBehind } from './plugin-output.ts';

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

/**
 * Keeps the last results of plugins that run together, in cells from `first` on: running them takes as long as a document. Hosts whose
 * keys end in the same bits share a slot. Incidents change results, so those of hosts with incidents are not kept.
 */
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
