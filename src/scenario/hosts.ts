import { basename } from 'node:path';
import { z } from 'zod';
import { type Finding, oneOfText, type Path, quoted, valueFinding } from '../base/notation/finding.ts';
import { wholeNumberFrom } from '../base/notation/quantities.ts';
import { choice, section, textLike, trueOrFalse } from '../base/notation/section.ts';
import type { GroupSize, HostGroup, HostTemplate, Weights } from '../hosts/fleet.ts';
import { PROFILE_NAMES, profileNamed, RECORDING, ROLE_NAMES, TIME_ZONE_NAMES } from '../hosts/profiles.ts';

/** Bounded, so that a typo does not exhaust memory. */
export const MAX_AGENTS = 10_000_000;

const SIZES = ['full', 'typical', 'lean', 'natural'] as const;
const PAYLOAD = `${oneOfText(SIZES)}, or counts such as { processes: 80, services: 120 }`;
const NAME = 'a name of letters, digits, dots, dashes and underscores that starts with a letter';
const WEIGHT = 'a weight above 0, at most 1000000';

// Bounded, so that a typo does not exhaust memory.
const things = wholeNumberFrom(0, 1000).exactOptional();

/** Checks that an administrator enables, by their names in the check data. Unnamed checks have the agent's default setting. */
export const optionalChecks = section({
  docker: things.meta({
    description: 'Containers on each host. Left out: check disabled.',
    examples: [10],
  }),
  customchecks: things.meta({
    description: 'Custom check plugins on each host. Left out: none.',
    examples: [3],
  }),
  libvirt: things.meta({
    description: 'Virtual machines on each bare-metal Linux host; other hosts have none. Left out: check disabled.',
    examples: [2],
  }),
  // The result of each exporter lists all exporters.
  prometheus_exporters: wholeNumberFrom(0, 100)
    .exactOptional()
    .meta({
      description: 'Prometheus exporters on each host whose results the agent forwards. Left out: none.',
      examples: [2],
    }),
  windows_eventlog: things.meta({
    description: 'Entries in the event logs of each host; Windows only. Left out: check disabled.',
    examples: [20],
  }),
  sensors: trueOrFalse.exactOptional().meta({
    description: 'Temperature sensors of bare-metal hosts; Linux only. Left out: `true`, the default of the agent.',
  }),
}).meta({ title: 'checks', examples: [{ docker: 10, customchecks: 3, sensors: false }] });

const AS_TYPICAL = 'Left out: as on a `typical` host.';

const hostCounts = section({
  processes: wholeNumberFrom(1, 10_000)
    .exactOptional()
    .meta({
      description: `Approximate number of processes; they start and exit over time. ${AS_TYPICAL}`,
      examples: [80],
    }),
  services: wholeNumberFrom(1, 10_000)
    .exactOptional()
    .meta({ description: `systemd units, launchd jobs or Windows services. ${AS_TYPICAL}`, examples: [120] }),
  disks: wholeNumberFrom(1, 500)
    .exactOptional()
    .meta({
      description: `File systems; on Windows, volumes up to the number of drive letters. ${AS_TYPICAL}`,
      examples: [4],
    }),
  interfaces: wholeNumberFrom(1, 500)
    .exactOptional()
    .meta({ description: `Network interfaces, including loopback. ${AS_TYPICAL}`, examples: [3] }),
  containers: things.meta({ description: 'Containers. Left out: the value of `checks.docker`.', examples: [10] }),
}).meta({
  title: 'counts',
  description: 'Numbers of each kind per host.',
  examples: [{ processes: 80, services: 120, disks: 4, interfaces: 3 }],
});

export const payload = z
  .union(
    [choice(SIZES).describe('About 200, 40 or 3 KB of check data per push, or a natural mix.'), hostCounts],
    PAYLOAD,
  )
  .default('full')
  .describe('Size of check data: about 200, 40 or 3 KB; `natural`: as the role and size of each host give; or counts.');

/** The expectation for a profile name. */
export const PROFILE = `${oneOfText(PROFILE_NAMES)}, or ${RECORDING}FOLDER`;

export const profileName = z.union(
  [
    choice(PROFILE_NAMES as [string, ...string[]]),
    z
      .string()
      .regex(/^recording:./)
      .describe('Hosts from a recording.'),
  ],
  PROFILE,
);

const SHA256 = 'the SHA-256 of a recording, in 64 hexadecimal digits';

const hostGroup = section({
  name: textLike(/^[A-Za-z][A-Za-z0-9._-]*$/, NAME)
    .exactOptional()
    .meta({
      description:
        'Unique among the groups; cohorts select it with `group=`. Left out: role and profile, such as `web-debian-12`.',
      examples: ['shop'],
    }),
  count: wholeNumberFrom(1, MAX_AGENTS)
    .exactOptional()
    .meta({ description: 'Number of agents. Left out: set by `weight`.', examples: [20] }),
  weight: z
    .number(WEIGHT)
    .gt(0, WEIGHT)
    .max(1_000_000, WEIGHT)
    .exactOptional()
    .meta({
      description:
        'Share of the agents that all `count` values leave, relative to the weights of other groups. Left out: set by `count`.',
      examples: [1, 10],
    }),
  profile: profileName.meta({
    description: 'Operating system, or a recording of hosts in a folder relative to this file.',
    examples: ['ubuntu-24.04', 'recording:./web-servers'],
  }),
  sha256: textLike(/^[0-9a-f]{64}$/, SHA256)
    .exactOptional()
    .meta({
      description:
        'SHA-256 of the recording, as results state it; the scenario rejects any other. Left out: any recording.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  role: choice(ROLE_NAMES as [string, ...string[]])
    .exactOptional()
    .meta({
      description: 'Purpose of the hosts. Left out: each host gets a role that is usual for its profile.',
      examples: ['web', 'database'],
    }),
  timeZone: choice(TIME_ZONE_NAMES)
    .exactOptional()
    .meta({
      description:
        'Time zone of the hosts, with its daylight saving time and holidays. Left out: hosts are at sites in several zones.',
      examples: ['Europe/Berlin'],
    }),
  payload: payload.unwrap().default('natural').describe('As `fleet.payload`.'),
  checks: optionalChecks.prefault({}).meta({
    description: 'Optional checks; the same for all agents of the group.',
  }),
})
  .superRefine(({ count, weight }, context) => {
    if ((count === undefined) !== (weight === undefined)) return;
    const found = count === undefined ? 'neither' : 'both';
    context.addIssue({ code: 'custom', message: 'either count or weight', params: { found } });
  })
  .meta({
    description: 'A group of hosts with the same settings.',
    examples: [{ count: 20, profile: 'windows-server-2022', role: 'database' }],
  });

export const hosts = z
  .array(hostGroup, 'a list of groups of hosts')
  .min(1, 'at least one group of hosts')
  .max(1000, 'at most 1000 groups of hosts')
  .meta({
    description:
      'Groups of hosts, mixed throughout the fleet, by exact count or by weight. Left out: one group from `profiles`, `payload` and `checks`.',
    examples: [
      [
        { weight: 9, profile: 'debian-12', role: 'web' },
        { weight: 1, profile: 'windows-server-2022' },
        {
          name: 'ledger',
          count: 3,
          profile: 'almalinux-9',
          role: 'database',
          payload: 'typical',
          checks: { docker: 2 },
        },
      ],
    ],
  });

type GroupFile = z.output<typeof hostGroup>;

export function hostGroupOf({ name, count, weight = 0, role, ...rest }: GroupFile): HostGroup {
  const size: GroupSize = count === undefined ? { kind: 'weight', weight } : { kind: 'count', agents: count };
  return { name: name ?? usualName({ ...rest, role }), size, ...rest, ...(role !== undefined && { role }) };
}

/** Converts weights of profiles to groups with the same payload and checks. */
export function groupsOfProfiles(weights: Weights, template: HostTemplate): readonly HostGroup[] {
  const names = new Set<string>();
  return Object.entries(weights)
    .filter(([, weight]) => weight > 0)
    .map(([profile, weight]) => {
      const usual = usualName({ profile, role: undefined });
      const same = [...names].filter((name) => name === usual || name.startsWith(`${usual}.`)).length;
      const name = same === 0 ? usual : `${usual}.${same + 1}`;
      names.add(name);
      return { name, size: { kind: 'weight', weight }, profile, ...template };
    });
}

function usualName({ role, profile }: { readonly role: string | undefined; readonly profile: string }): string {
  if (!profile.startsWith(RECORDING)) return role === undefined ? profile : `${role}-${profile}`;
  // The name of the folder, with only the characters that group names allow.
  const folder = basename(profile.slice(RECORDING.length)).replace(/[^A-Za-z0-9._-]+/g, '-');
  return folder.replace(/^[^A-Za-z]+/, '') || 'recording';
}

/** The inverse of `hostGroupOf`. */
export function hostGroupFile({ name, size, profile, sha256, role, timeZone, payload, checks }: HostGroup): object {
  return {
    name,
    ...(size.kind === 'count' ? { count: size.agents } : { weight: size.weight }),
    profile,
    sha256,
    role,
    timeZone,
    payload,
    checks,
  };
}

/** Conflicts of groups with each other and with the number of agents, if it is known. */
export function groupFindings(
  path: Path,
  files: readonly (GroupFile | undefined)[],
  agents: number | undefined,
): readonly Finding[] {
  // An unreadable group has an unknown size.
  const groups = files.flatMap((file) => (file?.profile === undefined ? [] : [hostGroupOf(file)]));
  if (groups.length < files.length) return [];
  const names = groups.map(({ name }) => name);
  return [
    ...groups.flatMap((group, index) => {
      const again = valueFinding([...path, index], 'a unique group name', `${quoted(group.name)} again`);
      return [...(names.indexOf(group.name) < index ? [again] : []), ...invalidRole([...path, index, 'role'], group)];
    }),
    ...invalidCounts(path, groups, agents),
  ];
}

function invalidRole(path: Path, { profile, role }: HostGroup): readonly Finding[] {
  if (role === undefined) return [];
  if (profile.startsWith(RECORDING)) {
    return [valueFinding(path, 'no role with a recording, whose hosts keep their roles', quoted(role))];
  }
  const { roles } = profileNamed(profile);
  if (roles.includes(role)) return [];
  const expected = `a role that ${profile} has, ${oneOfText(roles)}`;
  return [{ ...valueFinding(path, expected, quoted(role)), candidates: roles }];
}

function invalidCounts(path: Path, groups: readonly HostGroup[], agents: number | undefined): readonly Finding[] {
  if (agents === undefined) return [];
  const counted = groups.reduce((sum, { size }) => sum + (size.kind === 'count' ? size.agents : 0), 0);
  const isOpen = groups.some(({ size }) => size.kind === 'weight');
  if (counted === agents || (isOpen && counted < agents)) return [];
  const expected = isOpen
    ? `counts that sum to at most ${agents}, the agents of the fleet`
    : `counts that sum to ${agents}, the agents of the fleet, or a weight in one of the groups`;
  return [valueFinding(path, expected, String(counted))];
}
