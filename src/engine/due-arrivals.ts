import type { Attacker } from '../base/protocol/attacks.ts';
import { hostTimeOf } from '../load/host-clock.ts';
import { renewedUuid } from '../wire/agent/identity.ts';
import { hasPassword } from '../wire/agent/lifecycle.ts';
import { requestBody } from '../wire/agent/request.ts';
import type { EngineState } from './engine-state.ts';
import type { Arrival } from './schedule.ts';

/** What is known of an arrival before the agent takes it. */
export type DueArrival = Pick<Arrival, 'agent' | 'load' | 'dueMs'>;

/** Whether the agent plans the arrival: its host is up, which a trace knows better, and its process runs and sends the operation. */
export function sends({ outages, reconfigurations }: EngineState, { agent, load, dueMs }: DueArrival): boolean {
  if (load.model.kind !== 'trace') {
    outages.watch(agent, dueMs);
    if (outages.isDown(agent, dueMs)) return false;
  }
  return reconfigurations.sends(agent, load.operation, dueMs);
}

/**
 * Attacks instead of taking the arrival, and returns true, if the agent misbehaves: its pushes of check data become attacks, and its other
 * arrivals are skipped. An agent without a password registers first.
 */
export function attackInstead(engine: EngineState, arrival: DueArrival): boolean {
  const { ports, activeEffects, table } = engine;
  const { agent, load, dueMs } = arrival;
  const how = activeEffects.present(agent, 'misbehave')?.how;
  if (how === undefined || !hasPassword(table.state(agent))) return false;
  if (activeEffects.isOffline(agent) || ports.isFenced() || !sends(engine, arrival)) return false;
  if (load.operation === 'checkdata') ports.attacks.attack(how, attackerOf(engine, agent, dueMs));
  return true;
}

/** Offset that keeps strange uuids distinct from those of renewed identities. */
const STRANGE_RENEWALS = 1_000_000_000;

/** What a misbehaving agent knows when its push at `dueMs` becomes an attack. */
function attackerOf(engine: EngineState, agent: number, dueMs: number): Attacker {
  const { plan, table, ports } = engine;
  const uuid = table.uuid(agent);
  table.delivery.misbehaves(uuid);
  const drawn = { drawnFrom: ports.events.drawnFrom(), renewal: STRANGE_RENEWALS + Math.floor(dueMs) };
  return {
    agent,
    uuid,
    password: table.password(agent),
    strangeUuid: renewedUuid(plan.seed, table.fleetIndex(agent), drawn),
    checkdata: (ageMs) => checkdataOf(engine, agent, hostTimeOf(ports, dueMs - ageMs)),
  };
}

function checkdataOf({ plan, table, reconfigurations }: EngineState, agent: number, instantMs: number): Buffer {
  const payloads = reconfigurations.payloadsOf(agent);
  const subject = {
    ...({ operation: 'checkdata', agent: table.fleetIndex(agent) } as const),
    signature: table.signature(agent),
    instantMs,
    collectionMs: undefined,
  };
  const body = requestBody(subject, { seed: plan.seed, payloads });
  const out = Buffer.alloc(body.roomBytes);
  return out.subarray(0, body.write(out, 0));
}
