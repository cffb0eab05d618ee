import type { Moment } from '../time/moment.ts';
import { type Incident, isRunning } from './incident.ts';

/** How incidents have left something on a host: out of order or not, and when it was last put in order again. */
export type Outage = {
  readonly down: boolean;
  /** Unix ms; 0 if nothing has ended since boot. */
  readonly restoredMs: number;
};

const WELL: Outage = { down: false, restoredMs: 0 };

/** What its causes have made of a thing by now. */
export function outageOf(causes: readonly Incident[], { incidents, checkMs, bootMs }: Moment): Outage {
  if (incidents.length === 0) return WELL;
  let down = false;
  let restoredMs = 0;
  for (const incident of incidents) {
    if (!causes.includes(incident)) continue;
    if (isRunning(incident, checkMs)) down = true;
    else if (incident.toMs <= checkMs && incident.toMs > bootMs) restoredMs = Math.max(restoredMs, incident.toMs);
  }
  return { down, restoredMs };
}

const DATABASE = /^(mysql|mariadb|postgres|mssql|oracle|mongod)/i;

/** The incidents that take a service down; a disk that is full does so to databases. */
export function takingDown(incidents: readonly Incident[], service: string): readonly Incident[] {
  const name = bare(service);
  return incidents.filter((incident) => {
    if (incident.kind === 'disk-full') return DATABASE.test(name);
    return incident.kind === 'service-down' && bare(incident.service) === name;
  });
}

function bare(service: string): string {
  return service.toLowerCase().replace(/\.service$/, '');
}
