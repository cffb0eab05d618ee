import { isDeepStrictEqual } from 'node:util';
import { HOUR_MS } from '../kernel/units.ts';
import { plain } from './document/plain.ts';
import { type MachineFleet, profileChooser, profileNames, type SizedFleet, variantChooser } from './fleet.ts';
import type { Incident } from './host/incident.ts';
import type { AverageBytes } from './host/profile.ts';
import { createMachines } from './machines.ts';
import { compilePayloads } from './payloads.ts';
import { averageBytesOf, profileNamed } from './profiles.ts';

/*
 * What is said of a fleet before it runs: how large its documents are, and whom its incidents reach.
 */

// Any instant of an ordinary day will do.
const INSTANT_MS = Date.UTC(2026, 0, 15, 12);
const SAMPLED_HOSTS = 4;

/**
 * Mean sizes of the documents of a fleet by the weights of its profiles, for plans. A fleet whose hosts differ from
 * those that profiles have sizes for is sampled.
 * @throws UserError if the fleet names a profile that does not exist.
 */
export function meanSizes(fleet: MachineFleet): AverageBytes {
  const weighted = Object.entries(fleet.profiles).filter(([, weight]) => weight > 0);
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  let checkdata = 0;
  let packages = 0;
  for (const [name, weight] of weighted) {
    const mean = meanSizesOf(name, fleet);
    checkdata += (mean.checkdata * weight) / total;
    packages += (mean.packages * weight) / total;
  }
  return { checkdata, packages };
}

function meanSizesOf(name: string, fleet: MachineFleet): AverageBytes {
  const { payload, checks = {} } = fleet;
  const isUsual = typeof payload === 'string' && Object.keys(checks).length === 0;
  return isUsual ? averageBytesOf(name, payload) : sampledSizes(name, fleet);
}

function sampledSizes(name: string, fleet: MachineFleet): AverageBytes {
  const writer = compilePayloads({ ...fleet, profiles: { [name]: 1 } });
  let checkdata = 0;
  let packages = 0;
  for (let agent = 0; agent < SAMPLED_HOSTS; agent++) {
    const rooms = [writer.checkdataRoomBytes(agent), writer.packagesRoomBytes(agent)];
    const out = Buffer.allocUnsafe(Math.max(...rooms));
    checkdata += writer.writeCheckdata(out, 0, agent, INSTANT_MS) / SAMPLED_HOSTS;
    packages += writer.writePackages(out, 0, agent, INSTANT_MS) / SAMPLED_HOSTS;
  }
  return { checkdata, packages };
}

/** Whom an incident reaches: `nobody` has what it is about, such as the service, or `no_agent` is in its cohort. */
type Effect = 'felt' | 'nobody' | 'no_agent';

/** Of each variant so many are asked: not every host of it has each service. */
const ASKED = 12;

/** Compares what some agents of every variant in the cohort tell with the incident, an hour old, and without it. */
export function effectOf(fleet: SizedFleet, incident: Incident): Effect {
  const { isHit } = incident;
  const variantOf = variantNumbers(fleet);
  const asked = new Map<number, number>();
  const { delayMs: _, untilMs: _until, wholeMs: _whole, ...alike } = incident;
  const now = { ...alike, isHit: () => true, fromMs: INSTANT_MS - HOUR_MS, toMs: INSTANT_MS + HOUR_MS };
  const machines = [[], [now]].map((incidents) => createMachines({ ...fleet, incidents }));
  for (let agent = 0; agent < fleet.agents; agent++) {
    const variant = variantOf(agent);
    const times = asked.get(variant) ?? 0;
    if (!isHit(agent) || times === ASKED) continue;
    if (!isParticular(incident)) return 'felt';
    asked.set(variant, times + 1);
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

/** Numbers the variants of all profiles of a fleet: hosts of one variant have the same services and file systems. */
function variantNumbers(fleet: SizedFleet): (agent: number) => number {
  const profile = profileChooser(fleet);
  const profiles = profileNames(fleet).map(profileNamed);
  const variants = profiles.map(({ variantWeights }) => variantChooser(fleet.seed, variantWeights));
  return (agent) => {
    const place = profile(agent);
    return place + profiles.length * (variants[place]?.(agent) ?? 0);
  };
}
