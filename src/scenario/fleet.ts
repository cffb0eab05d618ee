import { resolve } from 'node:path';
import { z } from 'zod';
import { type Finding, keyFinding } from '../base/notation/finding.ts';
import { wholeNumberFrom } from '../base/notation/quantities.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { choice, filledText, section } from '../base/notation/section.ts';
import type { GroupedHosts, MixedHosts, WithRecordings } from '../hosts/fleet.ts';
import { RECORDING } from '../hosts/profiles.ts';
import type { Recordings } from '../hosts/recorded/recorded-hosts.ts';
import {
  groupFindings,
  groupsOfProfiles,
  hostGroupFile,
  hostGroupOf,
  hosts,
  MAX_AGENTS,
  optionalChecks,
  PROFILE,
  payload,
  profileName,
} from './hosts.ts';
import { fleetProvision, type Provision, provisionOf } from './provision.ts';
import { sourceAddresses } from './source-addresses.ts';

export type ConnectionSharing = { readonly kind: 'per-agent' } | { readonly kind: 'shared'; readonly size: number };
type Identities = { readonly kind: 'ephemeral' } | { readonly kind: 'file'; readonly path: string };

const CONNECTIONS = 'per-agent, or { shared: N }';
/** The keys that describe hosts without groups. */
const SHORT_FORM = ['profiles', 'payload', 'checks'] as const;
const WEIGHT = 'a weight: a number from 0 to 1000000';
const WEIGHTS = 'profile names with weights, at least one above zero';

const weight = z
  .number(WEIGHT)
  .min(0, WEIGHT)
  .max(1_000_000, WEIGHT)
  .meta({
    description:
      'Weight of this operating system, or of the hosts of this recording. Weights that sum to `agents` are exact numbers of agents.',
    examples: [1, 5],
  });

const profiles = z
  .record(profileName, weight, { error: (issue) => (issue.code === 'invalid_key' ? PROFILE : WEIGHTS) })
  .refine((weights) => Object.values(weights).some((weight = 0) => weight > 0), WEIGHTS);

const shared = section({
  shared: wholeNumberFrom(1).meta({
    description: 'Number of connections that the whole fleet shares.',
    examples: [64],
  }),
}).meta({ description: 'Shared connections.', examples: [{ shared: 64 }] });

export const fleet = section({
  agents: wholeNumberFrom(1, MAX_AGENTS).meta({ description: 'Number of agents.', examples: [1000] }),
  seed: wholeNumberFrom(0)
    .default(1)
    .meta({ description: 'Seed of everything random: the same seed creates the same hosts.', examples: [1, 42] }),
  start: choice(['standing', 'fresh'])
    .default('standing')
    .meta({
      description:
        '`standing`: agents have been running for a long time. `fresh`: they start with their first load, within one interval, and send packages 90 s later.',
      examples: ['standing', 'fresh'],
    }),
  profiles: profiles.default({ 'ubuntu-24.04': 1 }).meta({
    description:
      'Operating systems of the agents, or recordings, with their weights; together with `payload` and `checks`, the short form of `hosts`.',
    examples: [{ 'ubuntu-24.04': 5, 'almalinux-9': 2, 'windows-server-2022': 2, 'macos-26': 1 }],
  }),
  payload,
  checks: optionalChecks.prefault({}).meta({
    description: 'Optional checks; the same for all agents.',
  }),
  hosts: hosts.exactOptional(),
  connections: z
    .union([z.literal('per-agent').describe('One connection per agent, like real agents.'), shared], CONNECTIONS)
    .default('per-agent')
    .describe('One connection per agent, or a number of shared ones.'),
  sourceAddresses,
  identities: filledText.default('ephemeral').meta({
    description: 'File, relative to this one, that keeps names and passwords for the next run; `ephemeral`: none.',
    examples: ['ephemeral', 'hosts.sqlite'],
  }),
  provision: fleetProvision.exactOptional(),
}).meta({
  description: 'The virtual agents.',
  examples: [
    {
      agents: 1000,
      seed: 1,
      profiles: { 'ubuntu-24.04': 5, 'almalinux-9': 2, 'windows-server-2022': 2, 'macos-26': 1 },
      payload: 'typical',
      checks: { docker: 10 },
      identities: 'hosts.sqlite',
    },
  ],
});

export type FleetFile = z.output<typeof fleet>;

/** Weights of profiles, and groups, keep the order of the file. Unnamed checks have the agent's default setting. */
export type Fleet = (MixedHosts | GroupedHosts) &
  WithRecordings &
  Readonly<Pick<FleetFile, 'agents' | 'seed' | 'start'>> & {
    readonly connections: ConnectionSharing;
    /** Entries as written; `sourceAddressesOf` expands them. If empty, the system chooses the address. */
    readonly sourceAddresses: readonly string[];
    readonly identities: Identities;
    /** How a kept fleet provisions itself; absent if it does not. */
    readonly provision?: Provision;
  };

/** @param folder folder of the file, the base of relative paths */
export function fleetOf(file: FleetFile, folder: string): Fleet {
  const { profiles, payload, checks, hosts, connections, identities, provision, ...rest } = file;
  const isRecorded = Object.keys(profiles).some((name) => name.startsWith(RECORDING));
  const short = isRecorded ? groupsOfProfiles(profiles, { payload, checks }) : undefined;
  const groups = (hosts?.map(hostGroupOf) ?? short)?.map((group) => {
    return { ...group, profile: absoluteName(group.profile, folder) };
  });
  // Their hosts are not read yet.
  const recordings = (groups ?? []).flatMap(({ profile, sha256 }) =>
    sha256 ? [[profile, { hash: sha256, hosts: [] }]] : [],
  );
  return {
    ...rest,
    ...(groups === undefined ? { profiles, payload, checks } : { groups }),
    ...(recordings.length > 0 && { recordings: Object.fromEntries(recordings) as Recordings }),
    connections: connectionsOf(connections),
    identities: identitiesOf(identities, folder),
    ...(provision !== undefined && { provision: provisionOf(provision) }),
  };
}

/** Conflicts of groups of hosts with each other and with the rest of the section. */
export function fleetFindings(
  { fleet = {} }: { readonly fleet?: Partial<FleetFile> },
  raw: unknown,
): readonly Finding[] {
  const server = serverFindings(raw);
  if (valueAtPath(raw, ['fleet', 'hosts']) === undefined) return server;
  const beside = SHORT_FORM.filter((key) => valueAtPath(raw, ['fleet', key]) !== undefined);
  return [
    ...server,
    ...beside.map((key) => keyFinding(['fleet', key], `no ${key} with hosts, because each group has its own`, 'both')),
    ...groupFindings(['fleet', 'hosts'], fleet.hosts ?? [], fleet.agents),
  ];
}

/** The embedded server ends with the fleet. */
function serverFindings(raw: unknown): readonly Finding[] {
  if (valueAtPath(raw, ['fleet', 'provision']) === undefined) return [];
  const url = valueAtPath(raw, ['target', 'urls', 0]) ?? valueAtPath(raw, ['target', 'url']) ?? 'embedded';
  if (url !== 'embedded') return [];
  return [keyFinding(['fleet', 'provision'], 'fleet.provision only with the target.url of a server', 'url: embedded')];
}

function absoluteName(name: string, folder: string): string {
  return name.startsWith(RECORDING) ? `${RECORDING}${resolve(folder, name.slice(RECORDING.length))}` : name;
}

function connectionsOf(connections: FleetFile['connections']): ConnectionSharing {
  return connections === 'per-agent' ? { kind: 'per-agent' } : { kind: 'shared', size: connections.shared };
}

function identitiesOf(identities: string, folder: string): Identities {
  return identities === 'ephemeral' ? { kind: 'ephemeral' } : { kind: 'file', path: resolve(folder, identities) };
}

/** The inverse of `fleetOf`. */
export function fleetFile({ connections, identities, ...rest }: Fleet): object {
  return {
    agents: rest.agents,
    seed: rest.seed,
    start: rest.start,
    ...('groups' in rest
      ? { hosts: rest.groups.map(hostGroupFile) }
      : { profiles: rest.profiles, payload: rest.payload, checks: rest.checks }),
    connections: connections.kind === 'shared' ? { shared: connections.size } : 'per-agent',
    sourceAddresses: rest.sourceAddresses,
    identities: identities.kind === 'file' ? identities.path : 'ephemeral',
    provision: rest.provision,
  };
}
