import { z } from 'zod';
import { PROFILE_NAMES } from '../../machine/profiles.ts';
import { oneOf } from '../../notation/expectations.ts';
import { wholeNumberFrom } from '../../notation/quantities.ts';
import { choice, filledText, flag, section } from '../../notation/section.ts';

const CONNECTIONS = 'per-agent, or { shared: N }';
const SIZES = ['full', 'typical', 'lean'] as const;
const PAYLOAD = `${oneOf(SIZES)}, or counts such as { processes: 80, services: 120 }`;
const WEIGHT = 'a weight: a number from 0 to 1000000';
const WEIGHTS = 'profile names with weights, at least one above zero';

// Enough for any host, and too little to fill the memory by a slip of the finger.
const things = wholeNumberFrom(0, 1000).exactOptional();

/** Checks that an administrator switches on, each under its name in the check data; what is left out is as shipped. */
const optionalChecks = section({
  docker: things.describe('Containers of each host.'),
  customchecks: things.describe("Plugins of the administrator's own."),
  libvirt: things.describe('Virtual machines; Linux only.'),
  // Each exporter's results name all of them.
  prometheus_exporters: wholeNumberFrom(0, 100).exactOptional().describe('Exporters whose results are passed on.'),
  windows_eventlog: things.describe('Entries in the event logs; Windows only.'),
  sensors: flag.exactOptional().describe('On unless switched off; Linux only.'),
});

/** How many of each kind every host has, where a size of payload does not say enough. */
const hostCounts = section({
  processes: wholeNumberFrom(1, 10_000).exactOptional().describe('About, as they come and go.'),
  services: wholeNumberFrom(1, 10_000)
    .exactOptional()
    .describe('Units of systemd, jobs of launchd, or Windows services.'),
  disks: wholeNumberFrom(1, 500).exactOptional().describe('File systems; on Windows volumes, as far as letters go.'),
  interfaces: wholeNumberFrom(1, 500).exactOptional().describe('Network interfaces, the loopback included.'),
  containers: things.describe('Containers, unless `checks.docker` says how many.'),
});

const profiles = z
  .partialRecord(z.enum(PROFILE_NAMES), z.number(WEIGHT).min(0, WEIGHT).max(1_000_000, WEIGHT), {
    error: (issue) => ('keys' in issue ? oneOf(PROFILE_NAMES) : WEIGHTS),
  })
  .refine((weights) => Object.values(weights).some((weight = 0) => weight > 0), WEIGHTS);

/** The virtual agents. */
export const fleet = section({
  // The upper end keeps a slip of the finger from filling the memory.
  agents: wholeNumberFrom(1, 10_000_000).describe('Number of virtual agents.'),
  seed: wholeNumberFrom(0).default(1).describe('Same seed, same machines.'),
  profiles: profiles.default({ 'ubuntu-24.04': 1 }).describe('Operating systems of the agents and their weights.'),
  payload: z
    .union([choice(SIZES), hostCounts], PAYLOAD)
    .default('full')
    .describe('About 200, 40 or 3 KB of check data per push; or counts per kind, the rest as in `typical`.'),
  checks: optionalChecks.prefault({}).describe('Optional checks that all agents have, such as `{ docker: 10 }`.'),
  connections: z
    .union(
      [z.literal('per-agent'), section({ shared: wholeNumberFrom(1).describe('Connections of the whole fleet.') })],
      CONNECTIONS,
    )
    .default('per-agent')
    .describe('A connection per agent as with real agents, or `{ shared: N }`.'),
  identities: filledText
    .default('ephemeral')
    .describe('`ephemeral`, or a file that keeps the credentials so that the same hosts come back.'),
});
