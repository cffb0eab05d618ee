import { isDeepStrictEqual } from 'node:util';
import { HOUR_MS } from '../../kernel/units.ts';
import { plain } from '../document/plain.ts';
import { profileChooser, profileNames, variantChooser } from '../hosts.ts';
import type { MachineFleet } from '../machine-fleet.ts';
import { createMachines } from '../machines.ts';
import { profileNamed } from '../profiles.ts';
import { membership } from './cohorts.ts';
import type { Incident } from './incident.ts';

type SizedFleet = MachineFleet & { readonly agents: number };

/** How many agents are in an incident's cohort, whether they have what goes wrong or not. */
export function cohortSize(fleet: SizedFleet, incident: Incident): number {
  const isHit = memberOf(fleet, incident);
  let count = 0;
  for (let agent = 0; agent < fleet.agents; agent++) if (isHit(agent)) count++;
  return count;
}

/** Whom an incident reaches: `nobody` has what it is about, such as the service, or `no_agent` is in its cohort. */
export type Effect = 'felt' | 'nobody' | 'no_agent';

// Any instant of an ordinary day will do, with the incident an hour old.
const INSTANT_MS = Date.UTC(2026, 0, 15, 12);

/** Of each build so many are asked: not every host of it has each service. */
const ASKED = 12;

/** Compares what some agents of every build in the cohort tell with the incident and without it. */
export function effectOf(fleet: SizedFleet, incident: Incident): Effect {
  const isHit = memberOf(fleet, incident);
  const buildOf = buildsOf(fleet);
  const asked = new Map<number, number>();
  const now = { ...incident, cohort: { share: 1 }, fromMs: INSTANT_MS - HOUR_MS, toMs: INSTANT_MS + HOUR_MS };
  const machines = [[], [now]].map((incidents) => createMachines({ ...fleet, incidents }));
  for (let agent = 0; agent < fleet.agents; agent++) {
    const build = buildOf(agent);
    const times = asked.get(build) ?? 0;
    if (!isHit(agent) || times === ASKED) continue;
    if (!isParticular(incident)) return 'felt';
    asked.set(build, times + 1);
    const [well, hit] = machines.map(({ checkdata }) => {
      const { node, frame } = checkdata(agent, INSTANT_MS);
      return plain(node, frame);
    });
    if (!isDeepStrictEqual(well, hit)) return 'felt';
  }
  return asked.size === 0 ? 'no_agent' : 'nobody';
}

/** Whether it is about something that a host may not have. */
function isParticular(incident: Incident): boolean {
  if (incident.kind === 'disk-full') return incident.mountpoint !== undefined;
  return incident.kind === 'service-down' || incident.kind === 'check-error';
}

function memberOf(fleet: SizedFleet, incident: Incident): (agent: number) => boolean {
  const choose = profileChooser(fleet);
  const names = profileNames(fleet);
  return membership({ seed: fleet.seed, profileOf: (agent) => names[choose(agent)] ?? '' }, incident);
}

/** Numbers the builds of a fleet: hosts of one build have the same services and file systems. */
function buildsOf(fleet: SizedFleet): (agent: number) => number {
  const profile = profileChooser(fleet);
  const profiles = profileNames(fleet).map(profileNamed);
  const variants = profiles.map(({ variantWeights }) => variantChooser(fleet.seed, variantWeights));
  return (agent) => {
    const place = profile(agent);
    return place + profiles.length * (variants[place]?.(agent) ?? 0);
  };
}
