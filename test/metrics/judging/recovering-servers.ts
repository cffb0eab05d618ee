import { durationsOf } from '../../../src/load/durations.ts';
import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import { summarize } from '../../../src/metrics/summary/summary.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { disturbancesOf } from '../../../src/scenario/event-times.ts';
import { answer, runVirtually, type Serve } from '../../engine/virtual-run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';
import { FACTS } from '../recordings.ts';

/** A server whose backlog is known. `delayMs` is called for each request in the order of arrival. */
export type KnownServer = {
  readonly delayMs: (atMs: number) => number;
  readonly status?: (atMs: number) => number;
};

/** Answers each request after the same time, however many there are. */
export const perfect = (afterMs = 3): KnownServer => ({ delayMs: () => afterMs });

/** Processes requests one after another; those that arrive while it stands still wait. */
export function queue(perSecond: number, stands: readonly [fromMs: number, toMs: number] = [0, 0]): KnownServer {
  let freeMs = 0;
  return {
    delayMs: (atMs) => {
      const startMs = Math.max(freeMs, atMs);
      freeMs = (startMs >= stands[0] && startMs < stands[1] ? stands[1] : startMs) + 1000 / perSecond;
      return freeMs - atMs;
    },
  };
}

/** The same, but answers 503 for a while, without work. */
export const refusing = (perSecond: number, [fromMs, toMs]: readonly [number, number]): KnownServer => {
  const { delayMs } = queue(perSecond);
  const isDown = (atMs: number) => fromMs <= atMs && atMs < toMs;
  return { delayMs: (atMs) => (isDown(atMs) ? 1 : delayMs(atMs)), status: (atMs) => (isDown(atMs) ? 503 : 200) };
};

export type Course = {
  readonly server: KnownServer;
  /** Keys of the event, which starts at 60 s. */
  readonly event: string;
  readonly agents?: number;
  readonly load?: string;
};

/** When the event starts. */
export const EVENT_MS = 60_000;

/** Runs an event in virtual time. Returns the measured recovery, and the true one from the server's own queue. */
export function recoveryAfter({ server, event, agents = 120, load = 'every: 2s' }: Course): {
  readonly measured: NonNullable<Summary['recoveries']>[number] | undefined;
  readonly trueMs: number;
} {
  const scenario = scenarioOf(`fleet: { agents: ${agents} }
phases:
  - { name: enroll, duration: 20s, register: { over: 18s } }
  - { name: steady, duration: 90s, checkdata: { ${load} } }
events: [{ name: it, at: 60s, ${event} }]`);
  const work: { readonly atMs: number; readonly endMs: number; readonly ok: boolean }[] = [];
  const serve: Serve = (request) => {
    const { atMs, endpoint } = request;
    const afterMs = server.delayMs(atMs);
    const status = server.status?.(atMs) ?? 200;
    work.push({ atMs, endMs: atMs + afterMs, ok: status === 200 });
    if (status !== 200) return { afterMs, ending: answer(status, '') };
    if (endpoint !== 'register_agent') return { afterMs, ending: answer(200, { received_checks: 3 }) };
    return { afterMs, ending: answer(201, { agentuuid: request.body.agentuuid, password: 'issued' }) };
  };
  const totals = createRunTotals(scenario.phases, [0]);
  const [{ fromMs = 0, toMs = 0, overMs = 0, action } = {}] = scenario.events;
  const returnMs = (agent: number) => toMs + 8000 + (4000 * (agent % 17)) / 17;
  const isReboot = action?.kind === 'reboot';
  const outages = Object.fromEntries(
    Array.from({ length: isReboot ? agents : 0 }, (_, agent) => [
      agent,
      { downMs: fromMs, agentStartMs: returnMs(agent) },
    ]),
  );
  const { engine } = runVirtually({
    agents,
    phases: scenario.phases,
    events: scenario.events,
    serve,
    outages,
    timeoutMs: 29_000,
    durations: durationsOf(1),
    onFrame: totals.add,
  });
  totals.end(0);
  totals.takeTimeline();
  const events = engine.eventHits();
  const recording = { phases: scenario.phases, elapsedMs: 110_000, run: totals.read() };
  const { recoveries = [] } = summarize(recording, { ...FACTS, events, disturbances: disturbancesOf(scenario) });
  const [measured] = recoveries;
  const resumedMs = Math.max(toMs + overMs, ...(events[0]?.resumedMs ?? []));
  return { measured, trueMs: trueRecoveryMs(work, resumedMs) };
}

/**
 * From the return of the agents to the end of the last request that met a longer queue than any before the event, or to the last refusal if
 * that is later. Later bursts are those of the new rhythm.
 */
function trueRecoveryMs(
  work: readonly { readonly atMs: number; readonly endMs: number; readonly ok: boolean }[],
  resumedMs: number,
): number {
  const calm = work.filter(({ atMs }) => atMs >= 30_000 && atMs < EVENT_MS);
  const usualMs = Math.max(...calm.map(({ atMs, endMs }) => endMs - atMs)) + 1;
  let [isDisturbed, backMs] = [false, 0];
  for (const [index, { atMs, endMs, ok }] of work.entries()) {
    if (atMs < EVENT_MS || (!isDisturbed && atMs > resumedMs + 1000)) continue;
    isDisturbed = !ok || endMs - atMs > usualMs;
    if (isDisturbed) backMs = ok ? endMs : atMs;
    const next = work[index + 1];
    // The backlog ends before the next burst arrives.
    if (ok && next !== undefined && next.atMs > backMs) isDisturbed = false;
  }
  return Math.max(0, backMs - resumedMs);
}
