import { z } from 'zod';
import { positiveDuration } from '../../notation/quantities.ts';
import { flag, section, text } from '../../notation/section.ts';
import { fleet } from './fleet.ts';
import { incident } from './incident.ts';
import { operationLoad, registerLoad } from './load.ts';
import { target } from './target.ts';
import {
  CONDITION_FORM,
  DELIVERY,
  DELIVERY_FORM,
  type Misreading,
  parseCondition,
  parseDeliveryCondition,
} from './threshold.ts';
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
    .default([])
    .describe('What goes wrong on parts of the fleet, and when.'),
});

/** That there is a load or a web server, and a duration where none can be derived, is for the cross checks. */
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
    const { expected, found, candidates } = read;
    context.addIssue({ code: 'custom', message: expected, params: { found, candidates } });
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
  webServer: webServer.optional().describe('The web servers of the agents; without it they do not listen.'),
  machine: machine.prefault({}).describe('What happens to the simulated hosts.'),
  phases: z.array(phase, 'a list of phases').min(1, 'at least one phase').describe('One after another.'),
  thresholds: thresholds
    .default({})
    .describe('Conditions that the run must meet, by operation, by `operation{phase:name}`, or on `delivery`.'),
});

/** A scenario file that was read, with quantities in base units; defaults that depend on other values still missing. */
export type ScenarioFile = z.output<typeof scenarioSchema>;
export type PhaseFile = ScenarioFile['phases'][number];
