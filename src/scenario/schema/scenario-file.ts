import { z } from 'zod';
import { positiveDuration } from '../../notation/quantities.ts';
import { flag, section, text } from '../../notation/section.ts';
import { fleet } from './fleet.ts';
import { incident } from './incident.ts';
import { operationLoad, registerLoad } from './load.ts';
import { target } from './target.ts';
import { thresholds } from './thresholds-section.ts';
import { validity } from './validity.ts';
import { webServer } from './web-server.ts';

const NAME = 'a name of letters, digits, dots, dashes, underscores and inner blanks';
const PHASE_NAME = 'a name that starts with a letter and goes on with letters, digits, dashes and underscores';

/** Scenario names become folder names. */
const scenarioName = z.string(NAME).regex(/^[A-Za-z0-9]([A-Za-z0-9._ -]*[A-Za-z0-9_-])?$/, NAME);

// Neither dots nor a leading digit: `--set phases.steady.duration=3s` must stay clear.
const phaseName = z.string(PHASE_NAME).regex(/^[A-Za-z][A-Za-z0-9_-]*$/, PHASE_NAME);

const machine = section({
  incidents: z
    .array(incident, 'a list of incidents')
    .max(100, 'at most 100 incidents')
    .prefault([])
    .meta({
      description: 'What goes wrong on parts of the fleet, and when; up to 100.',
      examples: [
        [
          { do: 'disk-full', at: 'steady+5s', for: '30s', cohort: '30%' },
          { do: 'service-down', service: 'nginx', at: '1m', cohort: '10..19' },
          { do: 'clock-skew', offset: '-5m' },
        ],
      ],
    }),
});

/** That there is a load or a web server, and a duration where none can be derived, is for the cross checks. */
const phase = section({
  name: phaseName.meta({ description: 'Unique among the phases.', examples: ['steady', 'enrol', 'warm-up'] }),
  duration: positiveDuration.optional().meta({
    description:
      'How long it lasts. Left out: until all agents have registered, which needs `register` with `rate` or `over`.',
    examples: ['20s', '5m'],
  }),
  exclude: flag
    .default(false)
    .meta({ description: 'Leaves it out of the overall figures, and so of thresholds that name no phase.' }),
  register: registerLoad
    .optional()
    .describe('Every agent registers. Left out: only agents without a password, when they have check data to send.'),
  authorize: operationLoad.optional().describe('Agents confirm the password that they were given. Left out: never.'),
  checkdata: operationLoad.optional().describe('Agents send check data. Left out: each only once it has registered.'),
  packages: operationLoad.optional().describe('Agents send package information. Left out: never.'),
}).describe('A stretch of the run with a name and loads.');

const PHASES = [
  { name: 'enrol', register: { rate: '200/s' } },
  { name: 'warm-up', duration: '5s', exclude: true, checkdata: { every: '5s', jitter: 0.1 } },
  {
    name: 'steady',
    duration: '20s',
    authorize: { rate: '20/s' },
    checkdata: { every: '5s', jitter: 0.1 },
    packages: { every: '1h', first: '5s' },
  },
];

/** The whole scenario file; what is accepted here and nothing else is a scenario. */
export const scenarioSchema = section({
  name: scenarioName.optional().meta({
    description: "The scenario's name, and its folder's among the results. Left out: the file's name.",
    examples: ['steady'],
  }),
  description: text.default('').meta({
    description: 'The question that this scenario answers.',
    examples: ['Will the server carry a thousand agents that report every five seconds?'],
  }),
  target: target.prefault({}).meta({
    description: 'The server under test.',
    examples: [{ url: 'https://mon.example', apiKey: '${MUSTER_API_KEY:-}', allow: ['mon.example'], timeout: '29s' }],
  }),
  fleet: fleet.meta({
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
  }),
  webServer: webServer.optional().meta({
    description:
      "The agents' own web servers, which a monitoring server in pull mode asks. Left out: agents do not listen.",
    examples: [{ listen: '127.20.0.0/16:3333', autoTls: true, keys: { type: 'ecdsa-p256', pool: 4 } }],
  }),
  machine: machine.prefault({}).describe('What happens to the simulated hosts.'),
  phases: z
    .array(phase, 'a list of phases')
    .min(1, 'at least one phase')
    .meta({ description: 'What the agents do, one phase after another.', examples: [PHASES] }),
  thresholds: thresholds.prefault({}).meta({
    description: 'Conditions that the run must meet, by the operation they are about; one without data fails.',
    examples: [
      {
        checkdata: ['p(99) < 250ms', 'error_rate < 0.1%', 'dropped_rate < 1%'],
        'register{phase:enrol}': ['p(95) < 500ms', 'rate > 100/s'],
        delivery: ['lost == 0', 'duplicated == 0'],
      },
    ],
  }),
  validity: validity.prefault({}).meta({
    description: 'Limits beyond which the generator was the bottleneck, and the run is INVALID.',
    examples: [{ schedulingDelay: '20ms' }],
  }),
});

/** A scenario file that was read, with quantities in base units; defaults that depend on other values still missing. */
export type ScenarioFile = z.output<typeof scenarioSchema>;
export type PhaseFile = ScenarioFile['phases'][number];
