import { labelled } from '../../kernel/random.ts';
import type { Incident } from './incident.ts';

/** The incidents of an agent that have begun by an instant, in the order of the fleet; a list that is filled anew. */
export type IncidentsOf = (agent: number, unixMs: number) => readonly Incident[];

const NONE: readonly Incident[] = [];

/** What decides whom an incident hits. */
export type Cohorts = { readonly seed: number; readonly profileOf: (agent: number) => string };

export function incidentsBy(fleet: Cohorts & { readonly incidents: readonly Incident[] }): IncidentsOf {
  if (fleet.incidents.length === 0) return () => NONE;
  const entries = fleet.incidents.map((incident) => ({ incident, concerns: membership(fleet, incident) }));
  const found: Incident[] = [];
  return (agent, unixMs) => {
    found.length = 0;
    for (const { incident, concerns } of entries) {
      if (incident.fromMs <= unixMs && concerns(agent)) found.push(incident);
    }
    return found;
  };
}

/**
 * Tells whom an incident hits. The draw of a share depends on the kind and the beginning, so that further incidents do
 * not move those that are there.
 */
export function membership({ seed, profileOf }: Cohorts, incident: Incident): (agent: number) => boolean {
  const { cohort, kind, fromMs, drawnFrom = fromMs } = incident;
  if ('fromAgent' in cohort) return (agent) => cohort.fromAgent <= agent && agent < cohort.toAgent;
  if ('profile' in cohort) return (agent) => profileOf(agent) === cohort.profile;
  const chance = labelled(seed, `incident.${kind}.${drawnFrom}`);
  return (agent) => chance(agent) < cohort.share * 0x1_0000_0000;
}
