import type { InferredOptionTypes } from 'yargs';
import { HEALTH_STATES } from '../../metrics/recording/health-reading.ts';
import { HOST_FLAG_NAMES, HOST_FLAGS, listFlag, optionalSwitch, textFlag } from './common.ts';

const FORMATS = ['csv', 'json', 'openitcockpit'] as const;

export type ExportFormat = (typeof FORMATS)[number];

const EVENTS = { group: 'Events:' } as const;

export const CTL_FLAGS = {
  url: textFlag('URL of the control API; default: from the control file [MUSTER_CONTROL_URL]'),
  scenario: textFlag('Scenario of the fleet, if several are running'),
  data: textFlag('Data folder of the fleet'),
  json: optionalSwitch('Print the JSON answer of the API', { alias: 'j' }),
  health: { choices: HEALTH_STATES, describe: 'agents: only those whose last exchanges say this' },
  limit: textFlag('agents: maximum number of agents to list; default: 100'),
  resolution: { choices: ['second', 'minute', 'hour'], describe: 'figures: time that each row covers' },
  format: { choices: FORMATS, describe: 'export: format; default: csv' },
  ...HOST_FLAGS,
  services: optionalSwitch('provision: also create all services that the server offers'),
  cohort: textFlag('Agents to hit or list, such as 30% or role=web; default: all', EVENTS),
  at: textFlag('When to start: in 10m, 02:00, an ISO time, or as in scenarios; default: now', EVENTS),
  for: textFlag('How long it lasts, such as 10m; default: until you end it', EVENTS),
  over: textFlag('Time over which to hit the agents one after another', EVENTS),
  name: textFlag('Name of the event; default: its kind and a number', EVENTS),
  sticky: textFlag('Word that selects the agents of a share; the same word selects the same agents', EVENTS),
  set: listFlag('Another key of the event, key=value; apply: a value of the scenario, path=value; repeatable', {
    ...EVENTS,
    alias: 's',
  }),
  'dry-run': optionalSwitch(
    'Check everything and show which agents it would hit, or what apply or provision would change, without doing it',
    EVENTS,
  ),
  yes: optionalSwitch('do, scale, apply: hit more than half of the fleet without asking', EVENTS),
} as const;

export type CtlFlag = keyof typeof CTL_FLAGS;

export type CtlFlags = InferredOptionTypes<typeof CTL_FLAGS> & {
  readonly what: CtlCommand;
  /** The object of the command: a cohort, an agent, an event kind, a share or the name of an event. */
  readonly of: string | undefined;
};

/** The argument and the flags of a command, in addition to those that select the fleet. */
export type CommandInputs = { readonly of: 'none' | 'optional' | 'required'; readonly flags: readonly CtlFlag[] };

/** What each command takes. */
export const CTL_INPUTS = {
  fleet: { of: 'none', flags: ['json'] },
  agents: { of: 'optional', flags: ['cohort', 'health', 'limit', 'json'] },
  agent: { of: 'required', flags: ['json'] },
  events: { of: 'none', flags: ['json'] },
  do: {
    of: 'required',
    flags: ['cohort', 'at', 'for', 'over', 'name', 'sticky', 'set', 'dry-run', 'yes', 'json'],
  },
  end: { of: 'required', flags: ['dry-run', 'json'] },
  scale: { of: 'required', flags: ['over', 'dry-run', 'yes', 'json'] },
  watch: { of: 'none', flags: ['json'] },
  figures: { of: 'none', flags: ['resolution', 'json'] },
  scenario: { of: 'none', flags: [] },
  export: {
    of: 'optional',
    flags: ['cohort', 'format', ...HOST_FLAG_NAMES, 'json'],
  },
  provision: { of: 'none', flags: [...HOST_FLAG_NAMES, 'services', 'dry-run'] },
  apply: { of: 'required', flags: ['set', 'dry-run', 'yes', 'json'] },
} as const satisfies Readonly<Record<string, CommandInputs>>;

export type CtlCommand = keyof typeof CTL_INPUTS;
