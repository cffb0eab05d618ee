import type { Outcome } from './outcomes.ts';

/** How an agent's last operation ended. */
export type LastOutcome<Name extends string> = {
  readonly operation: Name;
  readonly outcome: Outcome;
  /** Since the start of the run, with a resolution of a tenth of a second. */
  readonly endedMs: number;
  /** From the start of the request to its end. */
  readonly serviceMs: number;
};

/** Last outcome of each agent, by its number. Kept for all agents, so it needs no tracing. Takes eleven bytes per agent. */
export function createLastOutcomes<Name extends string>(agents: number, operations: readonly Name[]) {
  /** Index in `operations` plus one; 0 if no operation has ended. */
  const names = new Uint8Array(agents);
  const outcomes = new Uint16Array(agents);
  const tenths = new Uint32Array(agents);
  const serviceMs = new Float32Array(agents);
  const { known, codeOf } = createOutcomeCodes();
  return {
    ended: (agent: number, last: LastOutcome<Name>): void => {
      names[agent] = operations.indexOf(last.operation) + 1;
      outcomes[agent] = codeOf(last.outcome);
      tenths[agent] = last.endedMs / TENTH_MS;
      serviceMs[agent] = last.serviceMs;
    },
    /** `undefined` if no operation of the agent has ended yet. */
    of: (agent: number): LastOutcome<Name> | undefined => {
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

/** The resolution of what is kept for each agent. */
export const TENTH_MS = 100;

/** Numbers outcomes in the order of their first appearance, to keep one per agent in two bytes. */
export function createOutcomeCodes() {
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
