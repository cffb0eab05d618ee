import { HEALTH_STATES } from '../../metrics/recording/agent-health.ts';
import type { CtlFlags, CtlWhat } from '../actions/ctl.ts';
import type { Command } from '../io.ts';

const WHAT = [
  ...(['fleet', 'agents', 'agent', 'events', 'do', 'end', 'scale', 'watch', 'figures', 'scenario', 'export'] as const),
  'apply',
] satisfies readonly CtlWhat[];

const FORMATS = ['csv', 'json', 'openitcockpit'] as const satisfies readonly CtlFlags['format'][];

const text = { type: 'string', requiresArg: true } as const;
const ofEvent = { ...text, group: 'Events:' } as const;

/** Flags of `muster ctl`. */
export const CTL_FLAGS = {
  url: { ...text, describe: 'URL of the control API; default: from the control file [MUSTER_CONTROL_URL]' },
  scenario: { ...text, describe: 'Scenario of the fleet, if several are running' },
  data: { ...text, describe: 'Data folder of the fleet' },
  json: { alias: 'j', type: 'boolean', default: false, describe: 'Print the JSON answer of the API' },
  health: { choices: HEALTH_STATES, describe: 'agents: only those whose last exchanges say this' },
  limit: { ...text, default: '100', describe: 'agents: maximum number of agents to list' },
  resolution: { choices: ['second', 'minute', 'hour'], describe: 'figures: time that each row covers' },
  format: { choices: FORMATS, default: 'csv', describe: 'export: format' },
  container: { ...text, default: '1', describe: 'export: ID of the container for the hosts' },
  'host-template': { ...text, default: '1', describe: 'export: ID of the host template' },
  cohort: { ...ofEvent, describe: 'Agents to hit, such as 30% or role=web; default: all' },
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
    default: false,
    group: 'Events:',
    describe: 'Show which agents the event would hit, or what apply would change, without doing it',
  },
} as const;

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
