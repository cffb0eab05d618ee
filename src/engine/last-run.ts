import { spread } from '../kernel/random.ts';
import { WITHOUT_COLLECTION } from '../machine/inventory/package-documents.ts';
import type { Core } from './core.ts';
import { startDelayMs } from './first-result.ts';
import { payloadsOf } from './lives.ts';

/** The check run that an agent's web server tells of. Instants count from the start of the run. */
export type LastRun = {
  readonly resultMs: number;
  /** When the collection began that it tells of, Infinity: none yet; undefined: the last that the agent had by itself. */
  readonly collectionMs: number | undefined;
};

/**
 * The last check run of this life of the agent that is over, whether or not its result could be sent; undefined before the
 * first, and while there is no agent. An agent that sends has those that were taken up, others run on a grid from their
 * start (docs/protocol.md, "The agent's life").
 */
export function lastRun(core: Core, agent: number): LastRun | undefined {
  const nowMs = core.ports.clock();
  const life = core.lives.get(agent);
  if (life?.ended || core.outages.isDown(agent, nowMs)) return undefined;
  const isPulled = core.pulled || (life?.settings !== undefined && life.settings.push === undefined);
  const resultMs = isPulled ? lastOnGridMs(core, agent, nowMs) : core.table.lastRunMs(agent);
  if (Number.isNaN(resultMs)) return undefined;
  const collectionMs = isPulled ? Number.NaN : core.table.lastRunCollectionMs(agent);
  return { resultMs, collectionMs: Number.isNaN(collectionMs) ? undefined : collectionMs };
}

/** NaN before the first run is over. */
function lastOnGridMs(core: Core, agent: number, nowMs: number): number {
  const life = core.lives.get(agent);
  const everyMs = life?.settings?.checkEveryMs ?? core.ports.listening?.checkIntervalMs ?? Number.NaN;
  const firstMs = life?.resultMs ?? firstRunMs(core, agent, everyMs);
  if (nowMs < firstMs) return Number.NaN;
  const onGridMs = firstMs + Math.floor((nowMs - firstMs) / everyMs) * everyMs;
  // Sums of fractions may come out a hair late.
  return onGridMs <= nowMs ? onGridMs : onGridMs - everyMs;
}

/** The agents of a fleet started one after another in the last interval before the run. */
function firstRunMs({ table, ports }: Core, agent: number, everyMs: number): number {
  const index = table.fleetIndex(agent);
  return startDelayMs(true) + ports.payloads.checkRunMs(index) - spread(index) * everyMs;
}

type Target = { readonly out: Buffer; readonly offset: number };

/** Writes the check data that the agent shows now; returns the offset after them. */
export function writeShownCheckdata(core: Core, agent: number, { out, offset }: Target): number {
  const run = lastRun(core, agent);
  if (run === undefined) return offset + out.write('{}', offset);
  const { resultMs, collectionMs } = onHostClock(core, run);
  return payloadsOf(core, agent).writeCheckdata(out, offset, core.table.fleetIndex(agent), resultMs, collectionMs);
}

/** Writes the package document that the agent shows now; returns the offset after it. */
export function writeShownPackages(core: Core, agent: number, { out, offset }: Target): number {
  const run = lastRun(core, agent);
  if (run === undefined) return offset + out.write(WITHOUT_COLLECTION.unknown, offset);
  const { resultMs, collectionMs } = onHostClock(core, run);
  return payloadsOf(core, agent).writeServedPackages(out, offset, core.table.fleetIndex(agent), resultMs, collectionMs);
}

/** No document that the agent shows is longer. */
export function shownBytes(core: Core, agent: number): number {
  const payloads = payloadsOf(core, agent);
  const index = core.table.fleetIndex(agent);
  const rooms = [payloads.checkdataRoomBytes(index), payloads.packagesRoomBytes(index)];
  return Math.max(...rooms, WITHOUT_COLLECTION.unknown.length);
}

/** In Unix time. */
function onHostClock({ ports }: Core, { resultMs, collectionMs }: LastRun): LastRun {
  const epochMs = ports.epochMs();
  return {
    resultMs: epochMs + resultMs,
    collectionMs: collectionMs === undefined ? undefined : epochMs + collectionMs,
  };
}
