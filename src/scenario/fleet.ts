import { resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from '../base/kernel/errors.ts';
import { type Finding, keyFinding, valueFinding } from '../base/notation/finding.ts';
import { wholeNumberFrom } from '../base/notation/quantities.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { choice, filledText, section } from '../base/notation/section.ts';
import type { GroupedHosts, MixedHosts, WithRecordings } from '../hosts/fleet.ts';
import { RECORDING } from '../hosts/profiles.ts';
import type { RecordedHosts, Recordings } from '../hosts/recorded/recorded-hosts.ts';
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
import { countSourceAddresses, MAX_SOURCE_ADDRESSES, SOURCE_ADDRESSES, sourceAddressesOf } from './source-addresses.ts';

export type ConnectionSharing = { readonly kind: 'per-agent' } | { readonly kind: 'shared'; readonly size: number };
type Identities = { readonly kind: 'ephemeral' } | { readonly kind: 'file'; readonly path: string };

const CONNECTIONS = 'per-agent, or { shared: N }';
const FLEET_STARTS = ['standing', 'fresh'] as const;
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

const ADDRESSES = 'an address of this machine such as 192.0.2.7, or a range such as 127.0.0.2-127.0.0.9';
const LIST = `a list with up to ${MAX_SOURCE_ADDRESSES} addresses in total, each once`;

const addresses = z
  .string(ADDRESSES)
  .regex(SOURCE_ADDRESSES, { error: ADDRESSES, abort: true })
  .refine((entry) => countSourceAddresses(entry) > 0, ADDRESSES)
  .meta({
    title: 'source',
    description: 'An IPv4 or IPv6 address, or an IPv4 range from the first to the last address.',
    examples: ['192.0.2.7', '127.0.0.2-127.0.0.9', 'fd00::2'],
  });

/** Local addresses of the fleet's connections, as written. */
const sourceAddresses = z
  .array(addresses, LIST)
  .superRefine((entries, context) => {
    const found = repeatedOrTooMany(entries.filter((entry) => typeof entry === 'string'));
    if (found !== undefined) context.addIssue({ code: 'custom', message: LIST, params: { found } });
  })
  .default([])
  .meta({
    description:
      'Addresses of this machine, used in turn for connections; each has about 28,000 ports per server. Left out: the system chooses one.',
    examples: [['127.0.0.2-127.0.0.9'], ['192.0.2.7', '192.0.2.8']],
  });

export const fleet = section({
  agents: wholeNumberFrom(1, MAX_AGENTS).meta({ description: 'Number of agents.', examples: [1000] }),
  seed: wholeNumberFrom(0)
    .default(1)
    .meta({ description: 'Seed of everything random: the same seed creates the same hosts.', examples: [1, 42] }),
  start: choice(FLEET_STARTS)
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

function repeatedOrTooMany(entries: readonly string[]): string | undefined {
  const count = entries.reduce((sum, entry) => sum + countSourceAddresses(entry), 0);
  if (count > MAX_SOURCE_ADDRESSES) return `${count}`;
  const seen = new Set<string>();
  for (const address of sourceAddressesOf(entries.filter((entry) => countSourceAddresses(entry) > 0))) {
    if (seen.has(address)) return `${address} twice`;
    seen.add(address);
  }
  return undefined;
}

/** @param folder folder of the file, the base of relative paths */
export function fleetOf(file: FleetFile, folder: string): Fleet {
  const { profiles, payload, checks, hosts, connections, identities, provision, ...rest } = file;
  const isRecorded = Object.keys(profiles).some((name) => name.startsWith(RECORDING));
  const short = isRecorded ? groupsOfProfiles(profiles, { payload, checks }) : undefined;
  const groups = (hosts?.map(hostGroupOf) ?? short)?.map((group) => {
    return { ...group, profile: absoluteName(group.profile, folder) };
  });
  const recordings = (groups ?? []).flatMap(({ profile, sha256 }) =>
    sha256 ? [[profile, unreadRecording(sha256)]] : [],
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

/** Placeholder for a recording that is not read yet. */
function unreadRecording(hash: string): RecordedHosts {
  return { hash, hosts: [] };
}

/** Conflicts of groups of hosts with each other and with the rest of the section. */
export function fleetFindings(
  { fleet = {} }: { readonly fleet?: Partial<FleetFile> },
  raw: unknown,
): readonly Finding[] {
  const server = serverFindings(raw);
  if (valueAtPath(raw, ['fleet', 'hosts']) === undefined) return server;
  const beside = SHORT_FORM.filter((key) => valueAtPath(raw, ['fleet', key]) !== undefined);
  const path = ['fleet', 'hosts'];
  return [
    ...server,
    ...beside.map((key) => keyFinding(['fleet', key], `no ${key} with hosts, because each group has its own`, 'both')),
    ...groupFindings(path, fleet.hosts ?? [], fleet.agents),
  ];
}

/** The embedded server ends with the fleet. */
function serverFindings(raw: unknown): readonly Finding[] {
  if (valueAtPath(raw, ['fleet', 'provision']) === undefined) return [];
  const url = valueAtPath(raw, ['target', 'urls', 0]) ?? valueAtPath(raw, ['target', 'url']) ?? 'embedded';
  if (url !== 'embedded') return [];
  return [keyFinding(['fleet', 'provision'], 'fleet.provision only with the target.url of a server', 'url: embedded')];
}

const SHORT_FORM = ['profiles', 'payload', 'checks'] as const;

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

/** Reads a recording by its absolute path. Throws `UserError` if it is unreadable. */
export type ReadRecording = (folder: string) => RecordedHosts;

export function namesRecordings(fleet: Fleet): boolean {
  return 'groups' in fleet && fleet.groups.some(({ profile }) => profile.startsWith(RECORDING));
}

type FleetRecordings = { readonly fleet: Fleet; readonly findings: readonly Finding[] };

/** Reads the recordings of a fleet's groups; a missing or different recording becomes a finding. */
export function withRecordings(fleet: Fleet, { hosts }: FleetFile, read: ReadRecording): FleetRecordings {
  if (!('groups' in fleet)) return { fleet, findings: [] };
  const found = new Map<string, RecordedHosts>();
  const findings = fleet.groups.flatMap(({ profile, sha256 }, index): readonly Finding[] => {
    if (!profile.startsWith(RECORDING)) return [];
    const path = ['fleet', ...(hosts === undefined ? ['profiles'] : ['hosts', index, 'profile'])];
    try {
      const hosts = found.get(profile) ?? read(profile.slice(RECORDING.length));
      found.set(profile, hosts);
      if (sha256 === undefined || sha256 === hosts.hash) return [];
      return [valueFinding(path, `the recording with the SHA-256 ${sha256}`, `one with ${hosts.hash}`)];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return [valueFinding(path, 'the folder of a usable recording', `one with a problem: ${error.message}`)];
    }
  });
  if (found.size === 0) return { fleet, findings };
  const groups = fleet.groups.map((group) => {
    const hosts = found.get(group.profile);
    return hosts === undefined ? group : { ...group, sha256: hosts.hash };
  });
  return { fleet: { ...fleet, groups, recordings: Object.fromEntries(found) }, findings };
}
