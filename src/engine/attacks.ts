import type { Operation } from '../ground/protocol/operations.ts';
import { hostTimeOf } from '../load/host-clock.ts';
import { renewedUuid } from '../wire/agent/identity.ts';
import { bodyRoomBytes, writeRequestBody } from '../wire/agent/request-body.ts';
import type { Attacker, EngineState } from './engine-state.ts';

/** Offset that keeps strange uuids distinct from those of renewed identities. */
const STRANGE = 1_000_000_000;

/**
 * Replaces the arrivals of a misbehaving agent: pushes of check data become attacks, and all other arrivals are skipped. An agent without a
 * password registers first.
 * @returns whether the arrival was replaced or skipped.
 */
export function attackInstead(engine: EngineState, agent: number, operation: Operation, dueMs: number): boolean {
  const how = engine.activeEffects.present(agent, 'misbehave')?.how;
  if (how === undefined) return false;
  const { ports, outages, activeEffects, reconfigurations, table } = engine;
  if (ports.attacks === undefined || table.state(agent) !== 'registered') return false;
  outages.watch(agent, dueMs);
  const isAway = outages.isDown(agent, dueMs) || activeEffects.isOffline(agent);
  if (isAway || !reconfigurations.sends(agent, operation, dueMs)) return false;
  if (operation === 'checkdata') ports.attacks.attack(how, attackerOf(engine, agent, dueMs));
  return true;
}

function attackerOf(engine: EngineState, agent: number, dueMs: number): Attacker {
  const { plan, table, ports } = engine;
  const uuid = table.uuid(agent);
  table.delivery.misbehaves(uuid);
  const drawn = { drawnFrom: ports.events?.drawnFrom() ?? 0, renewal: STRANGE + Math.floor(dueMs) };
  return {
    ...{ agent, uuid, password: table.password(agent) },
    strangeUuid: renewedUuid(plan.seed, table.fleetIndex(agent), drawn),
    checkdata: (ageMs) => checkdataOf(engine, agent, hostTimeOf(ports, dueMs - ageMs)),
  };
}

function checkdataOf({ plan, table, reconfigurations }: EngineState, agent: number, instantMs: number): Buffer {
  const payloads = reconfigurations.payloadsOf(agent);
  const subject = {
    ...({ operation: 'checkdata', agent: table.fleetIndex(agent) } as const),
    ...{ signature: table.signature(agent), instantMs, collectionMs: undefined },
  };
  const out = Buffer.alloc(bodyRoomBytes(subject, payloads));
  return out.subarray(0, writeRequestBody(subject, { seed: plan.seed, payloads }, { out, offset: 0 }));
}
