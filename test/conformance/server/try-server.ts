import type { Timer } from '../../../src/base/kernel/clock.ts';
import { monotonicClock, realTimer } from '../../../src/base/runtime/event-loop.ts';
import type { CaseResult } from '../../../src/conformance/case.ts';
import type { AgentCredentials, ServerCase } from '../../../src/conformance/server/fixture.ts';
import { tryServer } from '../../../src/conformance/server/mode.ts';

/** Pauses are a hundredth, so that nothing waits for half a minute; time limits of cases stay long. */
const PAUSE_SHARE = 0.01;

const shortPauses: Timer = (delayMs, act) => realTimer(delayMs * PAUSE_SHARE, act);

/** Tries cases at a server on this machine. */
export async function tryAt(
  url: string,
  cases: readonly ServerCase[],
  {
    apiKey = '',
    assigned = undefined as AgentCredentials | undefined,
    pauses = shortPauses,
    timer = realTimer,
    uuid = crypto.randomUUID() as string,
  } = {},
) {
  const { hostname, port, origin } = new URL(url);
  const subject = {
    peer: { address: { host: hostname, port: Number(port) }, tls: undefined },
    base: origin,
    prefix: '',
    apiKey,
    assigned,
    giveHost: undefined,
    uuid,
    clock: monotonicClock,
    timer: pauses,
  };
  const ports = {
    clock: monotonicClock,
    timer,
    signal: new AbortController().signal,
    onResult: () => undefined,
  };
  return tryServer(subject, cases, ports);
}

export function brokenIn(results: readonly CaseResult[]): readonly string[] {
  return results.filter(({ verdict }) => verdict.kind === 'broken').map(({ rule }) => rule.id);
}
