import { WITHOUT_COLLECTION } from '../hosts/packages/document.ts';
import { hostTimeOf } from '../load/host-clock.ts';
import { startsLongAgo, usualStarts } from '../load/pacers.ts';
import { startDelayMs } from '../wire/agent/lifecycle.ts';
import type { EngineState } from './engine-state.ts';

/** The check run that an agent's web server shows. Times count from the start of the run. */
export type LastRun = {
  readonly resultMs: number;
  /** Start of the package collection that it shows. `Infinity`: none yet. `undefined`: the last one that the agent started by itself. */
  readonly collectionMs: number | undefined;
};

/**
 * Current content of the agents' web servers.
 * @param catchUp processes everything that is due, so that a late timer does not affect what is shown.
 */
export function createServedDocuments(engine: EngineState, catchUp: () => void) {
  const { ports, table, reconfigurations } = engine;
  /** The last run with its times in Unix ms on the host's clock. */
  const runOnHostClock = (agent: number): LastRun | undefined => {
    catchUp();
    const run = lastRun(engine, agent);
    if (run === undefined) return undefined;
    const collectionMs = run.collectionMs === undefined ? undefined : hostTimeOf(ports, run.collectionMs);
    return { resultMs: hostTimeOf(ports, run.resultMs), collectionMs };
  };
  return {
    /** The check run that the agent's web server shows now; `undefined` if it has no data yet. */
    lastRun: (agent: number): LastRun | undefined => {
      catchUp();
      return lastRun(engine, agent);
    },
    /** These write the documents that the agent's web server shows now, and return the offset after them. */
    writeCheckdata: (agent: number, out: Buffer, offset: number): number => {
      const run = runOnHostClock(agent);
      if (run === undefined) return offset + out.write('{}', offset);
      const payloads = reconfigurations.payloadsOf(agent);
      return payloads.writeCheckdata(out, offset, table.fleetIndex(agent), run.resultMs, run.collectionMs);
    },
    writePackages: (agent: number, out: Buffer, offset: number): number => {
      const run = runOnHostClock(agent);
      if (run === undefined) return offset + out.write(WITHOUT_COLLECTION.unknown, offset);
      const payloads = reconfigurations.payloadsOf(agent);
      return payloads.writeServedPackages(out, offset, table.fleetIndex(agent), run.resultMs, run.collectionMs);
    },
    /** Size limit of both documents. */
    documentBytes: (agent: number): number => {
      const payloads = reconfigurations.payloadsOf(agent);
      const index = table.fleetIndex(agent);
      const rooms = [payloads.checkdataRoomBytes(index), payloads.packagesRoomBytes(index)];
      return Math.max(...rooms, WITHOUT_COLLECTION.unknown.length);
    },
  };
}

/**
 * The last check run that ended since the agent started, even if its result could not be sent. `undefined` before the first one, and while
 * the agent does not run. For an agent that pushes, only runs that were picked up count; other agents run checks on a grid from their start
 * (docs/reference/wire.md, "The agent's life").
 */
function lastRun(engine: EngineState, agent: number): LastRun | undefined {
  const { table, outages, reconfigurations, pulled } = engine;
  const nowMs = engine.ports.clock();
  const reconfiguration = reconfigurations.of(agent);
  if (reconfiguration?.ended || outages.isDown(agent, nowMs)) return undefined;
  const { settings } = reconfiguration ?? {};
  const isPulled = pulled || (settings !== undefined && settings.push === undefined);
  const resultMs = isPulled ? lastOnGridMs(engine, agent, nowMs) : table.lastRunMs(agent);
  if (Number.isNaN(resultMs)) return undefined;
  const collectionMs = isPulled ? Number.NaN : table.lastRunCollectionMs(agent);
  return { resultMs, collectionMs: Number.isNaN(collectionMs) ? undefined : collectionMs };
}

/** `NaN` before the first run ends. */
function lastOnGridMs({ plan, table, ports, reconfigurations }: EngineState, agent: number, nowMs: number): number {
  const reconfiguration = reconfigurations.of(agent);
  const everyMs = reconfiguration?.settings?.checkEveryMs ?? ports.listening?.checkIntervalMs ?? Number.NaN;
  const index = table.fleetIndex(agent);
  const usualMs = () =>
    usualStarts(startsLongAgo(everyMs), plan.seed)(index) + startDelayMs(true) + ports.payloads.checkRunMs(index);
  const { resultMs = Number.NEGATIVE_INFINITY } = reconfiguration ?? {};
  const firstMs = resultMs === Number.NEGATIVE_INFINITY ? usualMs() : resultMs;
  if (nowMs < firstMs) return Number.NaN;
  const onGridMs = firstMs + Math.floor((nowMs - firstMs) / everyMs) * everyMs;
  const lastMs = onGridMs + ports.durations.lateMs(index, onGridMs, everyMs) <= nowMs ? onGridMs : onGridMs - everyMs;
  return lastMs < firstMs ? Number.NaN : lastMs;
}
