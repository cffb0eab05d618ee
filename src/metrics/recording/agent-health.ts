import type { LifecycleState, MeasuredOperation, Operation } from '../../base/protocol/operations.ts';
import { isSuccess, type Outcome, reachOf } from './outcomes.ts';

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

/** What is known of an agent apart from its exchanges. */
export type HealthFacts = {
  readonly state: LifecycleState;
  readonly isDown: boolean;
  /** Time without accepted check data after which the agent is late; `Infinity`: it pushes none. */
  readonly overdueAfterMs: number;
  readonly nowMs: number;
};

const TENTH_MS = 100;

/** Servers may give another reason with the same status later. */
const REASON_KEPT_MS = 10_000;

/**
 * The last outcome, accepted check data, and failures of each agent. A failure lasts until the same operation succeeds, or check data are
 * accepted. Takes 24 bytes per agent.
 */
export function createAgentHealth(agents: number, operations: readonly Operation[]) {
  /** Index of the failed operation in `operations` plus one; 0 if nothing failed. */
  const failed = new Uint8Array(agents);
  const outcomes = new Uint16Array(agents);
  const since = new Uint32Array(agents);
  const hasReported = new Uint8Array(agents);
  /** Last accepted check data, or last change of the agent's condition. */
  const aliveAt = new Uint32Array(agents);
  const { known, codeOf } = createOutcomeCodes();
  const last = createLastOutcomes(agents, operations);
  const reasons = createReasons();
  /** One of `PASSWORDS`, or 0. */
  const passwords = new Uint8Array(agents);
  const problemOf = (agent: number): Health | undefined => {
    const outcome = known[outcomes[agent] as number];
    const operation = operations[(failed[agent] as number) - 1];
    if (outcome === undefined || operation === undefined) return undefined;
    const state = reachOf(outcome) === 'answered' ? 'refused' : 'unreachable';
    return { state, operation, outcome, sinceMs: (since[agent] as number) * TENTH_MS, ...reasons.of(outcome) };
  };
  return {
    /** Hot path. */
    ended: (agent: number, end: LastOutcome<Operation>): void => {
      const { operation, outcome, endedMs } = end;
      last.ended(agent, end);
      if (outcome === 'canceled') return;
      passwords[agent] = passwordAfter(passwords[agent] as number, operation, outcome);
      const number = operations.indexOf(operation) + 1;
      if (isSuccess(outcome)) {
        if (operation === 'checkdata') {
          hasReported[agent] = 1;
          aliveAt[agent] = endedMs / TENTH_MS;
        }
        if (operation === 'checkdata' || failed[agent] === number) failed[agent] = 0;
        return;
      }
      const code = codeOf(outcome);
      if (failed[agent] === 0 || outcomes[agent] !== code) since[agent] = endedMs / TENTH_MS;
      failed[agent] = number;
      outcomes[agent] = code;
    },
    last: last.of,
    /** The condition of the agent has changed: what it has to push is not overdue yet. */
    changed: (agent: number, atMs: number): void => {
      aliveAt[agent] = atMs / TENTH_MS;
    },
    wantsReason: reasons.wants,
    keepReason: reasons.keep,
    of: (agent: number, { state, isDown, overdueAfterMs, nowMs }: HealthFacts): Health => {
      if (isDown) return { state: 'down' };
      const problem = problemOf(agent);
      if (problem !== undefined) return problem;
      if (state !== 'registered' && state !== 'authorized')
        return {
          state: 'unregistered',
          ...(state === 'waiting' && { operation: 'register' as const, outcome: state }),
        };
      const overdueMs = (aliveAt[agent] as number) * TENTH_MS + overdueAfterMs;
      if (nowMs > overdueMs) return { state: 'late', sinceMs: overdueMs };
      return { state: hasReported[agent] === 0 ? 'pending' : 'reporting' };
    },
    standing: (agent: number): Standing => {
      const password = passwords[agent] as number;
      return password === 0 ? 'unknown' : password === PASSWORDS.forgotten ? 'forgotten' : 'accepted';
    },
  };
}

/** `forgotten`: the server has refused the agent's password since it last accepted it, as after a reset. */
export type Standing = 'accepted' | 'forgotten' | 'unknown';

/** `known`: issued or confirmed, but no push was accepted. Nothing is known of a password that was issued before the run. */
const PASSWORDS = { known: 1, accepted: 2, forgotten: 3 };

/**
 * What the server now says about a password. It answers 400 to the pushes of an agent that it does not know, and of one that has no host
 * on the server yet.
 */
function passwordAfter(before: number, operation: Operation, outcome: Outcome): number {
  const { known, accepted, forgotten } = PASSWORDS;
  const isRefused = outcome === 'http_400' || outcome === 'http_404';
  switch (operation) {
    case 'register':
      return outcome === 'ok' ? known : before;
    case 'authorize':
      if (isRefused) return forgotten;
      return outcome === 'ok' && before !== accepted ? known : before;
    case 'checkdata':
    case 'packages':
      if (outcome === 'ok') return accepted;
      return isRefused && before !== known ? forgotten : before;
  }
}

/** What the server last said with each outcome. */
function createReasons() {
  const known = new Map<Outcome, { readonly atMs: number; readonly reason: string }>();
  return {
    /** Whether to keep what the server said with this outcome: nothing is known, or only something old. */
    wants: (outcome: Outcome, atMs: number) =>
      atMs - (known.get(outcome)?.atMs ?? Number.NEGATIVE_INFINITY) >= REASON_KEPT_MS,
    keep: (outcome: Outcome, atMs: number, reason: string) => void known.set(outcome, { atMs, reason }),
    of(outcome: Outcome): Pick<Health, 'reason'> {
      const { reason = '' } = known.get(outcome) ?? {};
      return reason === '' ? {} : { reason };
    },
  };
}

/** One line that says why: the message in a JSON answer, the start of another one, or what failed below HTTP. */
export function reasonIn({ reason = '', body = '' }: { readonly reason?: string; readonly body?: string }): string {
  const text = errorIn(body) ?? (body === '' || body.startsWith('<') ? reason : body);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_REASON_CHARACTERS ? `${line.slice(0, MAX_REASON_CHARACTERS)} …` : line;
}

const MAX_REASON_CHARACTERS = 120;

function errorIn(body: string): string | undefined {
  try {
    const { error, message = error } = JSON.parse(body) as { readonly error?: unknown; readonly message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** How an agent's last operation ended. */
export type LastOutcome<Name extends string> = {
  readonly operation: Name;
  readonly outcome: Outcome;
  /** Since the start of the run, with a resolution of a tenth of a second. */
  readonly endedMs: number;
  /** From the start of the request to its end. */
  readonly serviceMs: number;
};

/** Last outcome of each agent, by its number. Kept for all agents, so it needs no tracing. */
export type LastOutcomes<Name extends string> = {
  ended(agent: number, last: LastOutcome<Name>): void;
  /** `undefined` if no operation of the agent has ended yet. */
  of(agent: number): LastOutcome<Name> | undefined;
};

/** Takes eleven bytes per agent. */
export function createLastOutcomes<Name extends string>(
  agents: number,
  operations: readonly Name[],
): LastOutcomes<Name> {
  /** Index in `operations` plus one; 0 if no operation has ended. */
  const names = new Uint8Array(agents);
  const outcomes = new Uint16Array(agents);
  const tenths = new Uint32Array(agents);
  const serviceMs = new Float32Array(agents);
  const { known, codeOf } = createOutcomeCodes();
  return {
    ended: (agent, last) => {
      names[agent] = operations.indexOf(last.operation) + 1;
      outcomes[agent] = codeOf(last.outcome);
      tenths[agent] = last.endedMs / TENTH_MS;
      serviceMs[agent] = last.serviceMs;
    },
    of: (agent) => {
      const operation = operations[(names[agent] as number) - 1];
      const outcome = known[outcomes[agent] as number];
      if (operation === undefined || outcome === undefined) return undefined;
      return {
        operation,
        outcome,
        endedMs: (tenths[agent] as number) * TENTH_MS,
        serviceMs: serviceMs[agent] as number,
      };
    },
  };
}

/** Numbers outcomes in the order of their first appearance, to keep one per agent in two bytes. */
function createOutcomeCodes() {
  const known: Outcome[] = [];
  return {
    known: known as readonly Outcome[],
    codeOf: (outcome: Outcome): number => {
      // There are few outcomes, and the first ones are those that repeat.
      const code = known.indexOf(outcome);
      return code < 0 ? known.push(outcome) - 1 : code;
    },
  };
}
