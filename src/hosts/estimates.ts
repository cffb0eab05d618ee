import { isDeepStrictEqual } from 'node:util';
import { once } from '../base/kernel/memoize.ts';
import { HOUR_MS } from '../base/kernel/units.ts';
import { TRAITS } from '../load/events/event.ts';
import { plain } from './document/plain.ts';
import type { HostGroup, SizedFleet } from './fleet.ts';
import { groupSizes, hostGroups } from './groups.ts';
import type { Incident } from './host/incident.ts';
import type { AverageBytes } from './host/profile.ts';
import { compilePayloads, createMachines, type Machines } from './payloads.ts';
import { profileNamed } from './profiles.ts';
import { recordedProfile } from './recorded/profile.ts';
import type { RecordedHosts } from './recorded/recorded-hosts.ts';
import type { Variants } from './variants.ts';

/* Estimates of a fleet before it runs: the sizes of its documents, and which agents its incidents affect. */

// An arbitrary time on an ordinary day.
const INSTANT_MS = Date.UTC(2026, 0, 15, 12);
const SAMPLED_HOSTS = 4;

/**
 * Mean document sizes of a fleet, for plans, weighted by the number of hosts of each group. Groups for which profiles list no sizes
 * are sampled.
 * @throws UserError if the fleet names a profile that does not exist.
 */
export function meanSizes(fleet: SizedFleet): AverageBytes {
  const shares = sharesOf(fleet).filter(({ share }) => share > 0);
  const total = shares.reduce((sum, { share }) => sum + share, 0);
  const means = shares.map(({ group, share }) => ({ ...meanSizesOf(group, fleet), share: share / total }));
  const meanOf = (of: keyof AverageBytes) => means.reduce((sum, mean) => sum + mean[of] * mean.share, 0);
  return { checkdata: meanOf('checkdata'), packages: meanOf('packages') };
}

/** The weights of profiles describe a fleet better than its agents, which may be few. */
function sharesOf(fleet: SizedFleet): readonly { readonly group: HostGroup; readonly share: number }[] {
  const { list } = hostGroups(fleet);
  const shares =
    'groups' in fleet ? groupSizes(list, fleet.agents) : list.map(({ profile }) => fleet.profiles[profile]);
  return list.map((group, index) => ({ group, share: shares[index] ?? 0 }));
}

function meanSizesOf(group: HostGroup, fleet: SizedFleet): AverageBytes {
  const { profile, role, payload, checks = {} } = group;
  const isUsual = role === undefined && Object.keys(checks).length === 0;
  const isSize = typeof payload === 'string' && payload !== 'natural';
  return isUsual && isSize
    ? profileNamed(profile, fleet.recordings).payloads(fleet.data.tables)[payload].averageBytes
    : sampledSizes(group, fleet);
}

function sampledSizes(group: HostGroup, fleet: SizedFleet): AverageBytes {
  const sample = { ...group, size: { kind: 'count', agents: SAMPLED_HOSTS } } as const;
  const writer = compilePayloads({ ...fleet, groups: [sample], agents: SAMPLED_HOSTS });
  let checkdata = 0;
  let packages = 0;
  for (let agent = 0; agent < SAMPLED_HOSTS; agent++) {
    const out = Buffer.allocUnsafe(Math.max(writer.checkdataRoomBytes(agent), writer.packagesRoomBytes(agent)));
    checkdata += writer.writeCheckdata(out, 0, agent, INSTANT_MS) / SAMPLED_HOSTS;
    packages += writer.writePackages(out, 0, agent, INSTANT_MS) / SAMPLED_HOSTS;
  }
  return { checkdata, packages };
}

/** Agents compared for each variant. More than one, because not every host of a variant has every service. */
const COMPARED_AGENTS = 12;

/** Tells whether an incident changes the check data of any agent in its cohort. Compares some agents of every variant. */
export function visibilityOn(fleet: SizedFleet): (incident: Incident) => boolean {
  const { of: groupOf } = hostGroups(fleet);
  const unaffected = once(() => createMachines({ ...fleet, incidents: [] }));
  const documentOf = ({ checkdata }: Machines, agent: number) => {
    const { node, frame } = checkdata(agent, INSTANT_MS);
    return plain(node(), frame);
  };
  return ({ delayMs: _, untilMs: _until, plannedMs: _planned, isHit, ...alike }) => {
    const now = { ...alike, isHit: () => true, fromMs: INSTANT_MS - HOUR_MS, toMs: INSTANT_MS + HOUR_MS };
    const affected = createMachines({ ...fleet, incidents: [now] });
    const variants = affected.variants();
    // Hosts of one variant have the same file systems and draw from the same services.
    const compared = new Map<string, number>();
    for (let agent = 0; agent < fleet.agents; agent++) {
      const group = groupOf(agent);
      const variant = `${group} ${(variants[group] as Variants).numberOf(agent)}`;
      const count = compared.get(variant) ?? 0;
      if (!isHit(agent) || count === COMPARED_AGENTS) continue;
      compared.set(variant, count + 1);
      if (!isDeepStrictEqual(documentOf(unaffected(), agent), documentOf(affected, agent))) return true;
    }
    return false;
  };
}

/** The service, mount point or check that an incident affects; `undefined` if no host lacks it. `key` is its name in the incident. */
export function neededBy(incident: Incident) {
  const key = TRAITS[incident.kind].needs;
  if (key === undefined) return undefined;
  const value = (incident as Partial<Record<typeof key, string>>)[key];
  return value === undefined ? undefined : { key, value };
}

/** Documents of a recording, and the mean sizes of their texts. */
export type RecordedTexts = { readonly documents: number } & AverageBytes;

export function recordedTexts(recording: RecordedHosts): RecordedTexts {
  const { variantWeights, payloads } = recordedProfile('', recording);
  return { documents: variantWeights.length, ...payloads({}).full.averageBytes };
}
