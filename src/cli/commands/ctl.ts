import type { Options } from 'yargs';
import { TRAITS } from '../../load/events/event.ts';
import { HEALTH_STATES } from '../../metrics/recording/health-reading.ts';
import { command, type ValuesOf } from '../command.ts';
import { argument, HOST_FLAGS, listFlag, optionalSwitch, switchFlag, textFlag } from '../flags/common.ts';

const FLEET = { group: 'Fleet:' } as const;

const FLEET_FLAGS = {
  url: textFlag('URL of the control API; default: from the control file [MUSTER_CONTROL_URL]', FLEET),
  scenario: textFlag('Scenario of the fleet, if several are running', { ...FLEET, conflicts: 'url' }),
  data: textFlag('Data folder of the fleet', { ...FLEET, conflicts: ['url', 'scenario'] }),
} as const satisfies Record<string, Options>;

const ANSWER_FLAGS = {
  ...FLEET_FLAGS,
  json: switchFlag('Print the JSON answer of the API', { ...FLEET, alias: 'j' }),
} as const;

const AGENTS = 'Agents, such as 30% or role=web; default: all';
const WHICH = { which: { type: 'string', conflicts: 'cohort', describe: AGENTS } } as const;
const COHORT_FLAG = { cohort: textFlag(AGENTS) } as const;
const OVER_FLAG = { over: textFlag('Time over which to hit the agents one after another') } as const;
const DRY_RUN_FLAG = { 'dry-run': switchFlag('Check everything and show what it would hit or change') } as const;
const YES_FLAG = { yes: switchFlag('Hit more than half of the fleet without asking') } as const;

const EXPORT_FORMATS = ['csv', 'json', 'openitcockpit'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const ctlCommand = command({
  usage: 'ctl',
  describe: 'Inspect and control a running fleet',
  examples: [
    ['$0 ctl fleet', 'show its status'],
    ['$0 ctl do restart --cohort 30%', 'restart 30% of its agents'],
    ['$0 ctl do --help', 'show what a command takes'],
  ],
  epilogue: 'The token comes from MUSTER_CONTROL_TOKEN or from the control file.',
});

export const CTL_COMMANDS = {
  fleet: command({ usage: 'fleet', describe: 'Show its status, and what is wrong with it', flags: ANSWER_FLAGS }),
  agents: command({
    usage: 'agents [which]',
    describe: 'List agents with their state, health and host',
    positionals: WHICH,
    flags: {
      ...COHORT_FLAG,
      health: { choices: HEALTH_STATES, describe: 'Only those whose last exchanges say this' },
      limit: textFlag('Maximum number of agents to list', { default: '100' }),
      ...ANSWER_FLAGS,
    },
    examples: [["$0 ctl agents 'state=refused'", 'list agents that the server refuses']],
  }),
  agent: command({
    usage: 'agent <index>',
    describe: 'Show one agent',
    positionals: { index: argument('Index of the agent, such as 7') },
    flags: ANSWER_FLAGS,
    examples: [['$0 ctl agent 7', 'show one agent; ask again to see its last request and answer']],
  }),
  events: command({ usage: 'events', describe: 'List past, current and future events', flags: ANSWER_FLAGS }),
  do: command({
    usage: 'do <kind>',
    describe: 'Add an event, now or later',
    positionals: { kind: { choices: Object.keys(TRAITS), demandOption: true, describe: 'Kind of the event' } },
    flags: {
      cohort: textFlag('Agents to hit, such as 30% or role=web; default: all'),
      at: textFlag('When to start: in 10m, 02:00, an ISO time, or as in scenarios; default: now'),
      for: textFlag('How long it lasts, such as 10m; default: until you end it'),
      ...OVER_FLAG,
      name: textFlag('Name of the event; default: its kind and a number'),
      sticky: textFlag('Word that selects the agents of a share; the same word selects the same agents'),
      set: listFlag('Another key of the event, key=value; repeatable', { alias: 's' }),
      ...DRY_RUN_FLAG,
      ...YES_FLAG,
      ...ANSWER_FLAGS,
    },
    // `version` is also a key of events: the version that agents are upgraded to.
    hasOwnVersion: true,
    examples: [
      ['$0 ctl do restart --cohort 30% --over 2m', 'restart 30%, one after another'],
      ['$0 ctl do stop --cohort all --for 1m', 'stop all agents for a minute'],
      ['$0 ctl do scale -s to=0.5 --cohort role=web --for 10m', 'scale a part of the fleet, or for a time'],
      ['$0 ctl do upgrade -s version=3.4.0 --dry-run', 'show which agents it would hit'],
      ['$0 ctl do register-again --dry-run', 'count the agents whose passwords a reset server no longer accepts'],
    ],
  }),
  end: command({
    usage: 'end <event>',
    describe: 'End an event',
    positionals: { event: argument('Name of the event, from muster ctl events') },
    flags: { ...DRY_RUN_FLAG, ...ANSWER_FLAGS },
  }),
  scale: command({
    usage: 'scale <agents>',
    describe: 'Keep a number or a share of the agents up, and stop the others',
    positionals: { agents: argument('How many agents to keep up, such as 800 or 80%') },
    flags: { ...OVER_FLAG, ...DRY_RUN_FLAG, ...YES_FLAG, ...ANSWER_FLAGS },
    examples: [['$0 ctl scale 800', 'keep 800 agents up; 100% for all']],
    epilogue: 'To scale a part of the fleet, or for a time, use muster ctl do scale.',
  }),
  watch: command({ usage: 'watch', describe: 'Print changes until Ctrl-C, also across restarts', flags: ANSWER_FLAGS }),
  figures: command({
    usage: 'figures',
    describe: 'Show rates, failures and latencies over time',
    flags: {
      resolution: { choices: ['second', 'minute', 'hour'], default: 'minute', describe: 'Time that each row covers' },
      ...ANSWER_FLAGS,
    },
  }),
  scenario: command({ usage: 'scenario', describe: 'Print its effective scenario', flags: FLEET_FLAGS }),
  export: command({
    usage: 'export [which]',
    describe: 'Print agents for other programs, or for import to a monitoring server',
    positionals: WHICH,
    flags: {
      ...COHORT_FLAG,
      format: { choices: EXPORT_FORMATS, default: 'csv', describe: 'Format' },
      ...HOST_FLAGS,
      ...ANSWER_FLAGS,
    },
    examples: [['$0 ctl export --format openitcockpit', 'print one body for POST /hosts/add.json per line']],
  }),
  provision: command({
    usage: 'provision',
    describe: 'Give the agents hosts on their monitoring server, as muster provision does',
    flags: {
      ...HOST_FLAGS,
      services: optionalSwitch('Also create all services that the server offers'),
      ...DRY_RUN_FLAG,
      ...FLEET_FLAGS,
    },
  }),
  apply: command({
    usage: 'apply <file>',
    describe: 'Change the running fleet to an edited scenario',
    positionals: { file: argument('Edited scenario file') },
    flags: {
      set: listFlag('Set any value of the scenario, path=value; repeatable', { alias: 's' }),
      ...DRY_RUN_FLAG,
      ...YES_FLAG,
      ...ANSWER_FLAGS,
    },
    examples: [['$0 ctl apply staging.yaml --dry-run', 'show what an edited scenario would change']],
  }),
};

export type CtlCommand = keyof typeof CTL_COMMANDS;

export type CtlFlags<Name extends CtlCommand> = ValuesOf<(typeof CTL_COMMANDS)[Name]>;
