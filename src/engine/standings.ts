import type { AgentAction } from '../events/event.ts';
import type { Address } from '../kernel/address.ts';
import { hostTimeOf } from '../load/host-clock.ts';
import type { LastOutcome } from '../metrics/recording/last-outcomes.ts';
import type { Operation, ServedOperation } from '../protocol/operations.ts';
import type { AssumedUuids } from './agent-table.ts';
import { CONDITION_FLAGS, type ConditionChanges, codeOfState } from './conditions.ts';
import type { EngineState } from './engine-state.ts';

/** States of agents in a run, numbered within the shard. Instants count from the start of the run. */
export type Standings = {
  /** A range of agents, cut at the end of the fleet, one byte each, as `conditionOf` reads it. */
  conditionCodes(first: number, count: number): Uint8Array;
  conditionChanges(since: number): ConditionChanges;
  standing(agent: number): AgentStanding;
  assumedUuids(): AssumedUuids;
  /** What the agent would tell of its host at an instant, in Unix ms; undefined: now. JSON in UTF-8; empty: the host is down. */
  document(agent: number, document: 'checkdata' | 'packages', instantMs: number | undefined): Uint8Array;
};

/** All that the engine knows of one agent. */
export type AgentStanding = {
  readonly atMs: number;
  readonly uuid: string;
  readonly code: number;
  /** Its recent conditions. */
  readonly history: readonly { readonly code: number; readonly atMs: number }[];
  /** What is done to it at present. */
  readonly actions: readonly AgentAction[];
  /** The release that it is of; undefined: that of the fleet. */
  readonly version: string | undefined;
  /** Whether it waits for an answer, or for a connection. */
  readonly busy: boolean;
  /** The operation that ended last; undefined: none yet. */
  readonly last: LastOutcome<Operation> | undefined;
};

/** How an agent's web server stands. Instants count from the start of the run. */
export type WebServerStanding = {
  /** Where it listens, or would if its process ran and its host were up; undefined: nowhere, as it is configured so. */
  readonly address: Address | undefined;
  readonly isListening: boolean;
  /** `mutual`: clients show certificates, too; undefined: it does not listen. */
  readonly tls: 'none' | 'server' | 'mutual' | undefined;
  readonly autoTls: boolean;
  readonly basicAuth: boolean;
  readonly configPush: boolean;
  /** The last configuration push; `atMs` undefined: before this start. Undefined: none. */
  readonly configured: { readonly atMs: number | undefined } | undefined;
  /** The request that was answered last; undefined: none yet. */
  readonly last: LastOutcome<ServedOperation> | undefined;
};

export function createStandings(engine: EngineState): Standings {
  const { table, circumstances, conditions, ports } = engine;
  return {
    conditionCodes: (first, count) => {
      const nowMs = ports.clock();
      const codes = new Uint8Array(Math.max(0, Math.min(count, table.count - first)));
      for (let n = 0; n < codes.length; n++) codes[n] = conditionCode(engine, first + n, nowMs);
      return codes;
    },
    conditionChanges: conditions.since,
    assumedUuids: table.assumedUuids,
    standing: (agent) => ({
      atMs: ports.clock(),
      uuid: table.uuid(agent),
      code: conditionCode(engine, agent, ports.clock()),
      history: conditions.of(agent),
      actions: circumstances.of(agent).map(({ action }) => action),
      version: circumstances.present(agent, 'upgrade')?.version,
      busy: table.busy.has(agent),
      last: table.last.of(agent),
    }),
    document: (agent, document, instantMs = hostTimeOf(ports, ports.clock())) => {
      const payloads = engine.reconfigurations.payloadsOf(agent);
      const index = table.fleetIndex(agent);
      const outage = payloads.nextOutage(index, instantMs, instantMs);
      if (outage !== undefined && outage.downMs <= instantMs) return new Uint8Array(0);
      const isPackages = document === 'packages';
      const roomBytes = isPackages ? payloads.packagesRoomBytes(index) : payloads.checkdataRoomBytes(index);
      const out = Buffer.alloc(roomBytes);
      const end = (isPackages ? payloads.writePackages : payloads.writeCheckdata)(out, 0, index, instantMs);
      // A copy of its own memory, which no other document shares.
      return new Uint8Array(out.subarray(0, end));
    },
  };
}

/** Whatever may have changed the agent's condition has been done. */
export function noteCondition(engine: EngineState, agent: number): void {
  const nowMs = engine.ports.clock();
  // What an agent brings with it is no change.
  if (nowMs >= 0) engine.conditions.note(agent, conditionCode(engine, agent, nowMs), nowMs);
}

function conditionCode({ table, outages, reconfigurations, circumstances }: EngineState, agent: number, nowMs: number) {
  const begun = circumstances.of(agent);
  return (
    codeOfState(table.state(agent)) |
    (outages.isAway(agent, nowMs) ? CONDITION_FLAGS['host-down'] : 0) |
    (reconfigurations.of(agent)?.ended ? CONDITION_FLAGS.stopped : 0) |
    (circumstances.isOffline(agent) ? CONDITION_FLAGS.offline : 0) |
    (begun.some(({ action }) => action.kind === 'misbehave') ? CONDITION_FLAGS.misbehaving : 0) |
    (begun.length > 0 ? CONDITION_FLAGS['in-event'] : 0)
  );
}
