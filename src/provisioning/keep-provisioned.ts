import { messageOf } from '../base/kernel/errors.ts';
import { counted } from '../base/kernel/units.ts';
import type { Provisioned } from './provision.ts';

type KeepingPorts = {
  /** Provisions all registered agents that need it; `undefined` if the fleet does not want it now. Rejects if nothing can be done. */
  readonly provisionAll: (isOutdated: () => boolean) => Promise<Provisioned | undefined>;
  /** Resolves after this time, or at the signal. */
  readonly pause: (durationMs: number) => Promise<void>;
  /** Called once for each problem as long as it lasts. */
  readonly onProblem: (sentence: string) => void;
  readonly withServices: () => boolean;
  readonly signal: AbortSignal;
};

export type Keeping = {
  /** Agents have registered, or the scenario has changed. */
  readonly wake: () => void;
  /** Resolves after the signal. */
  readonly ended: Promise<void>;
};

/** Collects registrations, so that a fleet that is starting does not list the hosts of the server for each of them. */
const COLLECT_MS = 2000;

const RETRY_MS = 60_000;

/** The server offers services once it has accepted data, so rounds after an assignment look for them. */
const SERVICE_ROUNDS = 10;

const MAX_REPORTED = 10;

/** Provisions a fleet at the start, whenever it is woken, and a minute after a round with a failure, until the signal. */
export function keepProvisioned(ports: KeepingPorts): Keeping {
  const { provisionAll, pause, onProblem, withServices, signal } = ports;
  let woken = Promise.withResolvers<void>();
  let isWoken = false;
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const report = reportOnce(onProblem);
  let serviceRounds = 0;
  const round = async (): Promise<'failed' | 'offersLater' | 'complete'> => {
    // A foreign server that answers what nobody expects must not end the fleet, so each error is a problem to report.
    const done = await provisionAll(() => isWoken).catch(messageOf);
    if (signal.aborted) return 'complete';
    const { assigned = 0, failures = [] } = typeof done === 'object' ? done : {};
    const problems =
      typeof done === 'string' ? [done] : failures.map(({ hostName, reason }) => `${hostName}: ${reason}`);
    report(problems);
    serviceRounds = assigned > 0 ? SERVICE_ROUNDS : serviceRounds - 1;
    if (problems.length > 0) return 'failed';
    return withServices() && serviceRounds > 0 ? 'offersLater' : 'complete';
  };
  const keep = async (): Promise<void> => {
    while (!signal.aborted) {
      woken = Promise.withResolvers<void>();
      isWoken = false;
      const ending = await round();
      if (ending === 'failed') await pause(RETRY_MS);
      else {
        await Promise.race([woken.promise, ending === 'complete' ? stopped : pause(RETRY_MS)]);
        await pause(COLLECT_MS);
      }
    }
  };
  const wake = (): void => {
    isWoken = true;
    woken.resolve();
  };
  return { wake, ended: keep() };
}

/** Reports those of the present problems that the previous call did not have. */
function reportOnce(onProblem: KeepingPorts['onProblem']): (problems: readonly string[]) => void {
  let reported: ReadonlySet<string> = new Set();
  return (problems) => {
    const fresh = problems.filter((problem) => !reported.has(problem));
    reported = new Set(problems);
    for (const problem of fresh.slice(0, MAX_REPORTED)) onProblem(problem);
    if (fresh.length > MAX_REPORTED) onProblem(`and ${counted(fresh.length - MAX_REPORTED, 'more problem')}`);
  };
}
