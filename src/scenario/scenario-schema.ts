import { z } from 'zod';
import { PROFILE_NAMES } from '../machine/profiles.ts';
import { DIALECT_NAMES } from '../protocol/dialect-names.ts';
import { oneOf } from './expectations.ts';
import { fault } from './fault-schema.ts';
import { hostCounts, optionalChecks } from './host-schema.ts';
import { incident } from './incident-schema.ts';
import { operationLoad, registerLoad } from './load-schema.ts';
import { positiveDuration, wholeNumberFrom } from './quantities.ts';
import { choice, section } from './section.ts';
import {
  CONDITION_FORM,
  DELIVERY,
  DELIVERY_FORM,
  type Misreading,
  parseCondition,
  parseDeliveryCondition,
} from './threshold-text.ts';

const NAME = 'a name of letters, digits, dots, dashes, underscores and inner blanks';
const PHASE_NAME = 'a name that starts with a letter and goes on with letters, digits, dashes and underscores';
const URL_FORM = 'embedded, or the base URL of a push server such as https://host/prefix';
const CONNECTIONS = 'per-agent, or { shared: N }';
const SIZES = ['full', 'typical', 'lean'] as const;
const PAYLOAD = `${oneOf(SIZES)}, or counts such as { processes: 80, services: 120 }`;
const WEIGHT = 'a weight: a number from 0 to 1000000';
const WEIGHTS = 'profile names with weights, at least one above zero';

const flag = z.boolean('true or false');
const text = z.string('a text, in quotes where it looks like a number');
const filledText = text.min(1, 'a text that is not empty');

/** Scenario names become folder names. */
export const scenarioName = z.string(NAME).regex(/^[A-Za-z0-9]([A-Za-z0-9._ -]*[A-Za-z0-9_-])?$/, NAME);

// Neither dots nor a leading digit: `--set phases.steady.duration=3s` must stay clear.
export const phaseName = z.string(PHASE_NAME).regex(/^[A-Za-z][A-Za-z0-9_-]*$/, PHASE_NAME);

const url = z.string(URL_FORM).refine(isTargetUrl, URL_FORM);

const target = section({
  url: url.default('embedded').describe('`embedded`, or the base URL of a push server.'),
  apiKey: text.default('').describe('Sent with every request; best as `${MUSTER_API_KEY:-}`.'),
  allow: z
    .array(filledText, 'a list of host names')
    .default([])
    .describe('Hosts other than loopback that this scenario may load.'),
  timeout: positiveDuration.prefault('29s').describe('Time for one whole exchange.'),
  tls: section({
    verify: flag.default(true).describe("Whether the server's certificate must be valid."),
    ca: filledText.optional().describe('A PEM file with the authority to trust, relative to this file.'),
  })
    .prefault({})
    .describe('How https targets are checked.'),
  dialect: choice(DIALECT_NAMES)
    .default('documented')
    .describe('How the embedded server answers: as the written API says, or as the released server behaves.'),
  faults: z
    .array(fault, 'a list of faults')
    .max(100, 'at most 100 faults')
    .default([])
    .describe('What the embedded server does wrong on purpose, and when.'),
});

const profiles = z
  .partialRecord(z.enum(PROFILE_NAMES), z.number(WEIGHT).min(0, WEIGHT).max(1_000_000, WEIGHT), {
    error: (issue) => ('keys' in issue ? oneOf(PROFILE_NAMES) : WEIGHTS),
  })
  .refine((weights) => Object.values(weights).some((weight = 0) => weight > 0), WEIGHTS);

/** The upper end keeps a slip of the finger from filling the memory. */
export const agentCount = wholeNumberFrom(1, 10_000_000);

const fleet = section({
  agents: agentCount.describe('Number of virtual agents.'),
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

const machine = section({
  incidents: z
    .array(incident, 'a list of incidents')
    .max(100, 'at most 100 incidents')
    .default([])
    .describe('What goes wrong on parts of the fleet, and when.'),
});

/** That there is a load, and a duration where none can be derived, is for the cross checks. */
const phase = section({
  name: phaseName.describe('Unique among the phases.'),
  duration: positiveDuration
    .optional()
    .describe('May be left out where `register` has a rate or a time: it then lasts until all agents have registered.'),
  exclude: flag.default(false).describe('Left out of thresholds and overall percentiles.'),
  register: registerLoad.optional().describe('Asks every agent once to register.'),
  authorize: operationLoad.optional().describe('Confirms a password that was issued before.'),
  checkdata: operationLoad.optional().describe('Submits check data.'),
  packages: operationLoad.optional().describe('Submits package information.'),
});

/** A list of conditions of one kind. */
function conditions<Read extends object>(form: string, parse: (written: string) => Read | Misreading) {
  const condition = z.string(form).transform((written, context) => {
    const read = parse(written);
    if (!('expected' in read)) return read;
    context.addIssue({ code: 'custom', message: read.expected, params: { found: read.found } });
    return z.NEVER;
  });
  return z.array(condition, 'a list of conditions').min(1, 'a list with at least one condition');
}

const thresholds = z
  .object(
    {
      [DELIVERY]: conditions(DELIVERY_FORM, parseDeliveryCondition)
        .optional()
        .describe('On `lost`, `duplicated` and `unknown` requests; only the embedded server can tell.'),
    },
    'operations, or delivery, with lists of conditions',
  )
  .catchall(conditions(CONDITION_FORM, parseCondition));

/** The whole scenario file; what is accepted here and nothing else is a scenario. */
export const scenarioSchema = section({
  name: scenarioName.optional().describe("Default: the file's name."),
  description: text.default('').describe('The question this scenario answers.'),
  target: target.prefault({}).describe('The server under test.'),
  fleet: fleet.describe('The virtual agents.'),
  machine: machine.prefault({}).describe('What happens to the simulated hosts.'),
  phases: z.array(phase, 'a list of phases').min(1, 'at least one phase').describe('One after another.'),
  thresholds: thresholds
    .default({})
    .describe('Conditions that the run must meet, by operation, by `operation{phase:name}`, or on `delivery`.'),
});

/** A scenario file that was read, with quantities in base units; defaults that depend on other values still missing. */
export type ScenarioFile = z.output<typeof scenarioSchema>;
export type PhaseFile = ScenarioFile['phases'][number];

function isTargetUrl(value: string): boolean {
  if (value === 'embedded') return true;
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  return parsed !== undefined && ['http:', 'https:'].includes(parsed.protocol) && parsed.hash === '';
}
