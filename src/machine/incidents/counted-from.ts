import type { Incident } from './incident.ts';

/**
 * Incidents whose times count from an instant that is known only later, as the start of a run is: machines are described
 * and compiled before. `startMs` says the instant in Unix ms and is asked each time. Cohorts are drawn from the times as
 * they are given, so they are the same whenever a run takes place.
 */
export function countedFrom(startMs: () => number, incidents: readonly Incident[]): readonly Incident[] {
  return incidents.map((incident) => ({
    ...incident,
    drawnFrom: incident.fromMs,
    get fromMs() {
      return startMs() + incident.fromMs;
    },
    get toMs() {
      return startMs() + incident.toMs;
    },
  }));
}
