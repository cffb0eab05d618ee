import type { Address } from '../base/kernel/address.ts';
import type { Operation, ServedOperation } from '../base/protocol/operations.ts';
import type { AgentAction } from '../load/events/event.ts';
import { hostTimeOf } from '../load/host-clock.ts';
import { phaseAt } from '../metrics/merging/phases.ts';
import { type Health, type HealthReading, readHealth } from '../metrics/recording/health-reading.ts';
import type { LastOutcome } from '../metrics/recording/last-outcomes.ts';
import { isSuccess } from '../metrics/recording/outcomes.ts';
import { CONDITION_FLAGS, codeOfState } from './conditions.ts';
import type { EnginePlan, EngineState } from './engine-state.ts';

export type AgentStatus = {
  readonly atMs: number;
  readonly uuid: string;
  readonly code: number;
  readonly history: readonly { readonly code: number; readonly atMs: number }[];
  readonly actions: readonly AgentAction[];
  /** The agent's release; `undefined`: the fleet's. */
  readonly version: string | undefined;
  /** Whether an operation of the agent is in flight or waits for a connection. */
  readonly busy: boolean;
  /** The last operation that ended; `undefined` if there was none. */
  readonly last: LastOutcome<Operation> | undefined;
};

/** State of an agent's web server. Times count from the start of the run. */
export type WebServerStatus = {
  /** Where it listens, or would if its process and host were up; `undefined` if its configuration has no web server. */
  readonly address: Address | undefined;
  readonly isListening: boolean;
  /** `mutual`: clients also present certificates. `undefined` if it does not listen. */
  readonly tls: 'none' | 'server' | 'mutual' | undefined;
  readonly autoTls: boolean;
  readonly basicAuth: boolean;
  readonly configPush: boolean;
  /** The last configuration push; `undefined` if there was none. `atMs` is `undefined` if the push was before this start. */
  readonly configured: { readonly atMs: number | undefined } | undefined;
  /** The last request that was answered; `undefined` if there was none. */
  readonly last: LastOutcome<ServedOperation> | undefined;
};

type LastServed = (agent: number) => LastOutcome<ServedOperation> | undefined;

/** States of agents in a run, numbered within the shard. Times count from the start of the run. */
export function createStatuses(engine: EngineState) {
  const { table, activeEffects, conditions, ports } = engine;
  return {
    /** One byte for each agent of a range, to decode with `conditionOf`; the range ends with the shard. */
    conditionCodes: (first: number, count: number): Uint8Array => {
      const nowMs = ports.clock();
      const codes = new Uint8Array(Math.max(0, Math.min(count, table.count - first)));
      for (let n = 0; n < codes.length; n++) codes[n] = conditionCode(engine, first + n, nowMs);
      return codes;
    },
    conditionChanges: conditions.since,
    /** The health of a range of agents. Without loads, it is that of the requests that their web servers answered. */
    health: (first: number, count: number, served: LastServed): HealthReading => {
      const nowMs = ports.clock();
      const overdueAfterMs = overdueAfter(engine.plan, nowMs);
      return readHealth(Math.max(0, Math.min(count, table.count - first)), (offset) => {
        const agent = first + offset;
        const isDown = (conditionCode(engine, agent, nowMs) & DOWN) !== 0;
        if (engine.pulled) return isDown ? { state: 'down' } : servedHealth(served(agent));
        return table.health.of(agent, { state: table.state(agent), isDown, overdueAfterMs, nowMs });
      });
    },
    assumedUuids: table.assumedUuids,
    status: (agent: number): AgentStatus => ({
      atMs: ports.clock(),
      uuid: table.uuid(agent),
      code: conditionCode(engine, agent, ports.clock()),
      history: conditions.of(agent),
      actions: activeEffects.of(agent).map(({ action }) => action),
      version: activeEffects.present(agent, 'upgrade')?.version,
      busy: table.busy.has(agent),
      last: table.health.last(agent),
    }),
    /** The document that the agent would send at a time in Unix ms; `undefined`: now. JSON in UTF-8; empty if the host is down. */
    document: (
      agent: number,
      document: 'checkdata' | 'packages',
      instantMs = hostTimeOf(ports, ports.clock()),
    ): Uint8Array => {
      const payloads = engine.reconfigurations.payloadsOf(agent);
      const index = table.fleetIndex(agent);
      const outage = payloads.nextOutage(index, instantMs, instantMs);
      if (outage !== undefined && outage.downMs <= instantMs) return new Uint8Array(0);
      const isPackages = document === 'packages';
      const roomBytes = isPackages ? payloads.packagesRoomBytes(index) : payloads.checkdataRoomBytes(index);
      const out = Buffer.alloc(roomBytes);
      const end = (isPackages ? payloads.writePackages : payloads.writeCheckdata)(out, 0, index, instantMs);
      // A copy with its own buffer, which can be transferred to another thread.
      return new Uint8Array(out.subarray(0, end));
    },
  };
}

/** Call after anything that may have changed the agent's condition. */
export function noteCondition(engine: EngineState, agent: number): void {
  const nowMs = engine.ports.clock();
  // The initial condition is not a change.
  if (nowMs < 0) return;
  engine.conditions.note(agent, conditionCode(engine, agent, nowMs), nowMs);
  engine.table.health.changed(agent, nowMs);
}

const DOWN = CONDITION_FLAGS['host-down'] | CONDITION_FLAGS.stopped | CONDITION_FLAGS.offline;

/** Two intervals in the current phase, and the time for an answer. Agents of closed loads and of curves are never overdue. */
function overdueAfter({ phases, agents, timeoutMs }: EnginePlan, nowMs: number): number {
  const intervals = (phaseAt(phases, nowMs)?.loads ?? []).flatMap(({ operation, model }) => {
    if (operation !== 'checkdata') return [];
    if (model.kind === 'rate') return [(2 * agents * 1000) / model.ratePerSecond];
    return model.kind === 'cadence' ? [model.everyMs + Math.max(model.everyMs, model.firstMs, model.spreadMs)] : [];
  });
  return Math.min(...intervals) + timeoutMs;
}

function servedHealth(last: LastOutcome<ServedOperation> | undefined): Health {
  if (last === undefined) return { state: 'pending' };
  const { operation, outcome, endedMs: sinceMs } = last;
  return isSuccess(outcome) ? { state: 'reporting' } : { state: 'refused', operation, outcome, sinceMs };
}

function conditionCode({ table, outages, reconfigurations, activeEffects }: EngineState, agent: number, nowMs: number) {
  const begun = activeEffects.of(agent);
  return (
    codeOfState(table.state(agent)) |
    (outages.isAway(agent, nowMs) ? CONDITION_FLAGS['host-down'] : 0) |
    (reconfigurations.of(agent)?.ended ? CONDITION_FLAGS.stopped : 0) |
    (activeEffects.isOffline(agent) ? CONDITION_FLAGS.offline : 0) |
    (begun.some(({ action }) => action.kind === 'misbehave') ? CONDITION_FLAGS.misbehaving : 0) |
    (begun.length > 0 ? CONDITION_FLAGS['in-event'] : 0)
  );
}
