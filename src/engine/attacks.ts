import { hostTimeOf } from '../load/host-clock.ts';
import { renewedUuid } from '../wire/agent/identity.ts';
import { bodyRoomBytes, writeRequestBody } from '../wire/agent/request-body.ts';
import type { Attacker, EngineState } from './engine-state.ts';

/** Offset that keeps strange uuids distinct from those of renewed identities. */
const STRANGE = 1_000_000_000;

/** What a misbehaving agent knows when its push at `dueMs` becomes an attack. */
export function attackerOf(engine: EngineState, agent: number, dueMs: number): Attacker {
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
