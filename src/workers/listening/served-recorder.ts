import type { Clock } from '../../kernel/clock.ts';
import type { Phase } from '../../load/timeline.ts';
import type { Recorder, SeriesRecorder } from '../../metrics/recording/recorder.ts';
import type { ServedOperation } from '../../protocol/operations.ts';
import type { WebServerPorts } from '../../web-server/ports.ts';

/** Counts the requests that agents serve, each in the phase in which its answer was over. */
export function createServedRecorder(
  phases: readonly Phase[],
  recorder: Recorder,
  clock: Clock,
): WebServerPorts['served'] {
  const series = phases.map(() => new Map<ServedOperation, SeriesRecorder>());
  return (_agent, operation, outcome, serviceMs, traffic) => {
    const index = phaseAt(phases, clock());
    const own = series[index]?.get(operation) ?? recorder.series(phases[index]?.name ?? '', operation);
    series[index]?.set(operation, own);
    own.served(outcome, { serviceMs, ...traffic });
  };
}

/** What comes before the first phase counts in it, and what comes after the last one in that. */
function phaseAt(phases: readonly Phase[], nowMs: number): number {
  const next = phases.findIndex(({ startMs }) => startMs > nowMs);
  return next < 0 ? phases.length - 1 : Math.max(0, next - 1);
}
