import { type Clock, type Timer, within } from '../base/kernel/clock.ts';
import { UserError } from '../base/kernel/errors.ts';
import { nearestName } from '../base/notation/nearest-name.ts';
import { type CaseAttempt, type CaseResult, type Rule, sectionOf } from './case.ts';

/** Cases, and how to try one of them. */
export type CaseTrial<Case extends Rule> = {
  readonly cases: readonly Case[];
  /** Must end soon after the signal, with what it has seen. */
  readonly attempt: (one: Case, signal: AbortSignal) => Promise<CaseAttempt>;
  readonly limitMs: (one: Case) => number;
  readonly atOnce: number;
  /** Cases with the same lane are tried one after another. */
  readonly laneOf?: (one: Case) => string | undefined;
};

export type RunPorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Ends the run: cases that have not ended count as not tried. */
  readonly signal: AbortSignal;
  readonly onResult: (result: CaseResult) => void;
};

const GRACE_MS = 2000;

/** Tries the cases, and returns their results in the order of the cases. Each case ends at its time limit. */
export async function runCases<Case extends Rule>(
  { cases, attempt, limitMs, atOnce, laneOf = () => undefined }: CaseTrial<Case>,
  { clock, timer, signal, onResult }: RunPorts,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  // Cases that take long start first, so that the others run beside them.
  const waiting = [...cases.entries()].sort(([, a], [, b]) => limitMs(b) - limitMs(a));
  const busy = new Set<string | undefined>();
  const tryOne = async (one: Case): Promise<CaseResult> => {
    const startedMs = clock();
    const limited = withLimit({ timer, signal }, limitMs(one), (limit) => attempt(one, limit));
    const ended = await within(timer, limitMs(one) + GRACE_MS, limited);
    const elapsedMs = clock() - startedMs;
    if (signal.aborted) return { rule: one, elapsedMs, ...untried('interrupted') };
    return { rule: one, elapsedMs, ...(ended ?? unended(elapsedMs)) };
  };
  const work = async (): Promise<void> => {
    for (;;) {
      const free = waiting.findIndex(([, one]) => !busy.has(laneOf(one)));
      const [next] = free < 0 ? [] : waiting.splice(free, 1);
      if (next === undefined) return;
      const [index, one] = next;
      const lane = laneOf(one);
      if (lane !== undefined) busy.add(lane);
      const result = signal.aborted ? { rule: one, elapsedMs: 0, ...untried('interrupted') } : await tryOne(one);
      busy.delete(lane);
      results[index] = result;
      onResult(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, cases.length) }, work));
  return results;
}

/** Calls `act` with a signal that also comes after this time. */
export async function withLimit<T>(
  { timer, signal }: { readonly timer: Timer; readonly signal?: AbortSignal },
  limitMs: number,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const cancel = timer(limitMs, () => limit.abort());
  return act(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal])).finally(cancel);
}

/** An attempt of a case that lacks something. */
export function untried(why: string): CaseAttempt {
  return { verdict: { kind: 'untried', why }, wire: [], repeat: [] };
}

function unended(elapsedMs: number): CaseAttempt {
  const found = `nothing within ${(elapsedMs / 1000).toFixed(1)} s`;
  return { verdict: { kind: 'broken', expected: 'an end', found }, wire: [], repeat: [] };
}

export type Selection = {
  /** Sections and ids; empty: all cases. */
  readonly only: readonly string[];
  readonly except: readonly string[];
};

/** The cases that a user selected. @throws UserError if a name is neither a section nor a case. */
export function selectCases<Case extends Rule>(cases: readonly Case[], selection: Selection): readonly Case[] {
  const { only, except } = selection;
  const names = new Set(cases.flatMap((one) => [sectionOf(one), one.id]));
  const strange = [...only, ...except].find((name) => !names.has(name));
  if (strange !== undefined) {
    const near = nearestName(strange, [...names]);
    const hint = near === undefined ? 'list them with --list' : `did you mean ${near}?`;
    throw new UserError(`Expected a section such as register or a case such as register.4, found ${strange}; ${hint}`);
  }
  const isNamed = (one: Rule, list: readonly string[]) => list.includes(one.id) || list.includes(sectionOf(one));
  return cases.filter((one) => (only.length === 0 || isNamed(one, only)) && !isNamed(one, except));
}
