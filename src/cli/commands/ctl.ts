import { HEALTH_STATES } from '../../metrics/recording/agent-health.ts';
import type { CtlFlags, CtlWhat } from '../actions/ctl.ts';
import type { Command } from '../io.ts';

const FORMATS = ['csv', 'json', 'openitcockpit'] as const satisfies readonly CtlFlags['format'][];

const text = { type: 'string', requiresArg: true } as const;
const ofEvent = { ...text, group: 'Events:' } as const;

/** Flags of `muster ctl`. */
export const CTL_FLAGS = {
  url: { ...text, describe: 'URL of the control API; default: from the control file [MUSTER_CONTROL_URL]' },
  scenario: { ...text, describe: 'Scenario of the fleet, if several are running' },
  data: { ...text, describe: 'Data folder of the fleet' },
  json: { alias: 'j', type: 'boolean', describe: 'Print the JSON answer of the API' },
  health: { choices: HEALTH_STATES, describe: 'agents: only those whose last exchanges say this' },
  limit: { ...text, describe: 'agents: maximum number of agents to list; default: 100' },
  resolution: { choices: ['second', 'minute', 'hour'], describe: 'figures: time that each row covers' },
  format: { choices: FORMATS, describe: 'export: format; default: csv' },
  container: { ...text, describe: 'export: ID of the container for the hosts; default: 1' },
  'host-template': { ...text, describe: 'export: ID of the host template; default: 1' },
  cohort: { ...ofEvent, describe: 'Agents to hit or list, such as 30% or role=web; default: all' },
  at: { ...ofEvent, describe: 'When to start, as in scenarios; default: now' },
  for: { ...ofEvent, describe: 'How long it lasts, such as 10m; default: until you end it' },
  over: { ...ofEvent, describe: 'Time over which to hit the agents one after another' },
  name: { ...ofEvent, describe: 'Name of the event; default: its kind and a number' },
  sticky: { ...ofEvent, describe: 'Word that selects the agents of a share; the same word selects the same agents' },
  set: {
    ...ofEvent,
    array: true,
    alias: 's',
    describe: 'Another key of the event, key=value; apply: a value of the scenario, path=value; repeatable',
  },
  'dry-run': {
    type: 'boolean',
    group: 'Events:',
    describe: 'Check everything and show which agents it would hit, or what apply would change, without doing it',
  },
  yes: {
    type: 'boolean',
    group: 'Events:',
    describe: 'Do not ask before hitting more than half of the fleet without --cohort all or a share',
  },
} as const;

export type CtlFlag = keyof typeof CTL_FLAGS;

/** The argument and the flags of a command, in addition to those that select the fleet. */
export type Taken = { readonly of: 'none' | 'optional' | 'required'; readonly flags: readonly CtlFlag[] };

export const TAKEN = {
  fleet: { of: 'none', flags: ['json'] },
  agents: { of: 'optional', flags: ['cohort', 'health', 'limit', 'json'] },
  agent: { of: 'required', flags: ['json'] },
  events: { of: 'none', flags: ['json'] },
  do: {
    of: 'required',
    flags: ['cohort', 'at', 'for', 'over', 'name', 'sticky', 'set', 'dry-run', 'yes', 'json'],
  },
  end: { of: 'required', flags: ['dry-run', 'json'] },
  scale: { of: 'required', flags: ['over', 'dry-run', 'json'] },
  watch: { of: 'none', flags: ['json'] },
  figures: { of: 'none', flags: ['resolution', 'json'] },
  scenario: { of: 'none', flags: [] },
  export: { of: 'optional', flags: ['cohort', 'format', 'container', 'host-template', 'json'] },
  apply: { of: 'required', flags: ['set', 'dry-run', 'yes', 'json'] },
} as const satisfies Readonly<Record<CtlWhat, Taken>>;

const WHAT = Object.keys(TAKEN) as readonly CtlWhat[];

export const ctlCommand: Command<CtlFlags> = (io) => ({
  command: 'ctl <what> [of]',
  describe: 'Inspect and control a running fleet',
  builder: (yargs) =>
    yargs
      // `version` is also a key of events: the version that agents are upgraded to.
      .version(false)
      .positional('what', { choices: WHAT, demandOption: true, describe: 'What to show or do' })
      .positional('of', {
        type: 'string',
        describe:
          'agents, export: a cohort; agent: its index; do: an event kind; end: the name of an event; scale: how many; apply: a scenario file',
      })
      .options(CTL_FLAGS)
      .example('$0 ctl fleet', 'show its status')
      .example("$0 ctl agents 'state=refused'", 'list agents that the server refuses')
      .example('$0 ctl agent 7', 'show one agent; ask again to see its last request and answer')
      .example('$0 ctl do restart --cohort 30% --over 2m', 'restart 30%, one after another')
      .example('$0 ctl do stop --cohort all --for 1m', 'stop all agents for a minute')
      .example('$0 ctl do upgrade -s version=3.4.0 --dry-run', 'show which agents it would hit')
      .example('$0 ctl scale 800', 'keep 800 agents up; 100% for all')
      .example('$0 ctl end cable', 'end the event with this name')
      .example('$0 ctl apply staging.yaml --dry-run', 'show what an edited scenario would change')
      .example('$0 ctl watch', 'follow changes until Ctrl-C')
      .example('$0 ctl export --format openitcockpit', 'print one body for POST /hosts/add.json per line')
      .epilogue('The token comes from MUSTER_CONTROL_TOKEN or from the control file.'),
  handler: async (flags) => {
    const { controlFleet } = await import('../actions/ctl.ts');
    await controlFleet(flags, io);
  },
});
