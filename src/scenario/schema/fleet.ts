import { z } from 'zod';
import { PROFILE_NAMES } from '../../machine/profiles.ts';
import { oneOf } from '../../notation/expectations.ts';
import { wholeNumberFrom } from '../../notation/quantities.ts';
import { choice, filledText, flag, section } from '../../notation/section.ts';
import { sourceAddresses } from './source-addresses.ts';

const CONNECTIONS = 'per-agent, or { shared: N }';
const SIZES = ['full', 'typical', 'lean'] as const;
const PAYLOAD = `${oneOf(SIZES)}, or counts such as { processes: 80, services: 120 }`;
const WEIGHT = 'a weight: a number from 0 to 1000000';
const WEIGHTS = 'profile names with weights, at least one above zero';

// Enough for any host, and too little to fill the memory by a slip of the finger.
const things = wholeNumberFrom(0, 1000).exactOptional();

/** Checks that an administrator switches on, each under its name in the check data; what is left out is as shipped. */
const optionalChecks = section({
  docker: things.meta({
    description: 'Containers of each host, which run on it too. Left out: no such check.',
    examples: [10],
  }),
  customchecks: things.meta({
    description: "Plugins of the administrator's own on each host. Left out: none.",
    examples: [3],
  }),
  libvirt: things.meta({
    description: 'Virtual machines of each Linux host of metal; others have none. Left out: no such check.',
    examples: [2],
  }),
  // Each exporter's results name all of them.
  prometheus_exporters: wholeNumberFrom(0, 100)
    .exactOptional()
    .meta({ description: 'Exporters of each host whose results are passed on. Left out: none.', examples: [2] }),
  windows_eventlog: things.meta({
    description: 'Entries in the event logs of each host; Windows only. Left out: no such check.',
    examples: [20],
  }),
  sensors: flag
    .exactOptional()
    .meta({ description: 'Temperatures of hosts of metal; Linux only. Left out: as shipped, which is `true`.' }),
});

const AS_TYPICAL = 'Left out: as on a `typical` host.';

/** How many of each kind every host has, where a size of payload does not say enough. */
const hostCounts = section({
  processes: wholeNumberFrom(1, 10_000)
    .exactOptional()
    .meta({ description: `Processes, about so many, as they come and go. ${AS_TYPICAL}`, examples: [80] }),
  services: wholeNumberFrom(1, 10_000)
    .exactOptional()
    .meta({ description: `Units of systemd, jobs of launchd, or Windows services. ${AS_TYPICAL}`, examples: [120] }),
  disks: wholeNumberFrom(1, 500)
    .exactOptional()
    .meta({ description: `File systems; on Windows volumes, as far as letters go. ${AS_TYPICAL}`, examples: [4] }),
  interfaces: wholeNumberFrom(1, 500)
    .exactOptional()
    .meta({ description: `Network interfaces, the loopback included. ${AS_TYPICAL}`, examples: [3] }),
  containers: things.meta({ description: 'Containers. Left out: as `checks.docker` says.', examples: [10] }),
}).meta({
  description: 'How many of each kind every host has.',
  examples: [{ processes: 80, services: 120, disks: 4, interfaces: 3 }],
});

const weight = z
  .number(WEIGHT)
  .min(0, WEIGHT)
  .max(1_000_000, WEIGHT)
  .meta({
    description: 'The weight of this operating system. Weights that sum to `agents` are numbers of agents.',
    examples: [1, 5],
  });

const profiles = z
  .partialRecord(z.enum(PROFILE_NAMES), weight, {
    error: (issue) => ('keys' in issue ? oneOf(PROFILE_NAMES) : WEIGHTS),
  })
  .refine((weights) => Object.values(weights).some((weight = 0) => weight > 0), WEIGHTS);

const shared = section({
  shared: wholeNumberFrom(1).meta({ description: 'How many connections the whole fleet shares.', examples: [64] }),
}).meta({ description: 'Connections that agents share.', examples: [{ shared: 64 }] });

/** The virtual agents. */
export const fleet = section({
  // The upper end keeps a slip of the finger from filling the memory.
  agents: wholeNumberFrom(1, 10_000_000).meta({ description: 'How many agents there are.', examples: [1000] }),
  seed: wholeNumberFrom(0)
    .default(1)
    .meta({ description: 'Whatever is drawn comes from it: the same seed gives the same hosts.', examples: [1, 42] }),
  profiles: profiles.default({ 'ubuntu-24.04': 1 }).meta({
    description: 'Operating systems of the agents, with their weights.',
    examples: [{ 'ubuntu-24.04': 5, 'almalinux-9': 2, 'windows-server-2022': 2, 'macos-26': 1 }],
  }),
  payload: z
    .union([choice(SIZES).describe('About 200, 40 or 3 KB of check data per push.'), hostCounts], PAYLOAD)
    .default('full')
    .describe('How much each host has to tell: about 200, 40 or 3 KB of check data per push, or counts per kind.'),
  checks: optionalChecks.prefault({}).meta({
    description: 'Checks that are off unless an administrator switches them on; all agents have the same.',
    examples: [{ docker: 10, customchecks: 3, sensors: false }],
  }),
  connections: z
    .union([z.literal('per-agent').describe('A connection per agent, as real agents have.'), shared], CONNECTIONS)
    .default('per-agent')
    .describe('A connection for each agent, as real ones have, or fewer for all.'),
  sourceAddresses,
  identities: filledText.default('ephemeral').meta({
    description:
      'A file, relative to this one, that keeps names and passwords, so that the same hosts come back in the next run; `ephemeral`: they are forgotten.',
    examples: ['ephemeral', 'hosts.sqlite'],
  }),
});
