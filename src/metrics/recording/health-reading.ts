import type { MeasuredOperation } from '../../base/protocol/operations.ts';
import type { Outcome } from './outcomes.ts';

/**
 * What the last exchanges of an agent say.
 * `reporting`: the server accepted its last check data. `pending`: it is registered and has not pushed since the start. `late`: nothing
 * failed, but its next check data are overdue. `refused`: the server answered with an error. `unreachable`: it did not answer.
 * `unregistered`: it has no password. `down`: its host or process is down, or it has no network.
 */
export const HEALTH_STATES = [
  'reporting',
  'pending',
  'late',
  'refused',
  'unreachable',
  'unregistered',
  'down',
] as const;

export type HealthState = (typeof HEALTH_STATES)[number];

/** Agents with the same health. Times count from the start of the run. */
export type HealthKind = {
  readonly state: HealthState;
  /** The exchange that makes the state; absent if none does. */
  readonly operation?: MeasuredOperation;
  readonly outcome?: Outcome;
  /** What the server or the connection said, without secrets; absent if nothing is known. */
  readonly reason?: string;
  readonly agents: number;
  /** The earliest start of this state among the agents; absent if it is no problem. */
  readonly sinceMs?: number;
};

/** Health of consecutive agents: for each the index of its kind. */
export type HealthReading = { readonly kinds: readonly HealthKind[]; readonly codes: Uint8Array };

export type Health = Omit<HealthKind, 'agents'>;

/** Counts agents by their health. Kinds beyond 255 count as the last one. */
export function readHealth(count: number, healthOf: (agent: number) => Health): HealthReading {
  const merged = createMerge(count);
  for (let agent = 0; agent < count; agent++) merged.put(agent, merged.codeOf(healthOf(agent)));
  return merged.read();
}

/** Merges readings of several shards. `placeOf` returns where an agent of a reading belongs; `undefined`: it has left. */
export function mergeHealth(
  count: number,
  parts: readonly { readonly reading: HealthReading; readonly placeOf: (agent: number) => number | undefined }[],
): HealthReading {
  const merged = createMerge(count);
  for (const { reading, placeOf } of parts) {
    const codes = reading.kinds.map(merged.codeOf);
    for (const [agent, code] of reading.codes.entries()) {
      const index = placeOf(agent);
      if (index !== undefined) merged.put(index, codes[code] as number);
    }
  }
  return merged.read();
}

/** The largest code of a kind. */
const MAX_KINDS = 255;

function createMerge(count: number) {
  const codes = new Uint8Array(count);
  const known = new Map<string, number>();
  const kinds: Health[] = [];
  const agents: number[] = [];
  return {
    codeOf: (one: Health): number => {
      const key = `${one.state} ${one.operation ?? ''} ${one.outcome ?? ''}`;
      const code = known.get(key) ?? Math.min(kinds.length, MAX_KINDS);
      known.set(key, code);
      kinds[code] = joined(kinds[code], one);
      return code;
    },
    put: (agent: number, code: number): void => {
      codes[agent] = code;
      agents[code] = (agents[code] ?? 0) + 1;
    },
    read: (): HealthReading => ({ kinds: kinds.map((kind, code) => ({ ...kind, agents: agents[code] ?? 0 })), codes }),
  };
}

function joined(kind: Health | undefined, one: Health): Health {
  if (kind === undefined || one.sinceMs === undefined) return kind ?? one;
  const { reason = one.reason, sinceMs = one.sinceMs } = kind;
  if (reason === kind.reason && sinceMs <= one.sinceMs) return kind;
  return { ...kind, sinceMs: Math.min(sinceMs, one.sinceMs), ...(reason !== undefined && { reason }) };
}
