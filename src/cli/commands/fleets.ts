import { command, type ValuesOf } from '../command.ts';
import { exitCodesText } from '../exit-codes.ts';
import {
  argument,
  FIGURE_FLAGS,
  HOST_FLAGS,
  MACHINES_FLAGS,
  METRICS,
  OUTPUT,
  optionalSwitch,
  PUBLIC_URL_FLAG,
  SCENARIO_FILE,
  SCENARIO_FLAGS,
  switchFlag,
  textFlag,
  WEBHOOK_FLAGS,
  WORKERS_FLAG,
} from '../flags/common.ts';
import { CTL_FLAGS, CTL_INPUTS, type CtlCommand } from '../flags/ctl-flags.ts';

const { duration: _, ...FLEET_SCENARIO_FLAGS } = SCENARIO_FLAGS;

export const fleetCommand = command({
  usage: 'fleet <scenario>',
  describe: 'Keep a fleet running until you stop it; the same hosts return at each start',
  positionals: {
    scenario: argument('Scenario file; its last phase never ends'),
  },
  flags: {
    ...FLEET_SCENARIO_FLAGS,
    data: textFlag(
      'Folder for data kept between starts; default: that of fleet.identities, otherwise fleets/<scenario name> [MUSTER_DATA]',
    ),
    ...WORKERS_FLAG,
    ...FIGURE_FLAGS,
    ...WEBHOOK_FLAGS,
    control: {
      type: 'string',
      ...METRICS,
      describe: 'Address of the control API, such as 127.0.0.1:9500; default: any free loopback port [MUSTER_CONTROL]',
    },
    ...PUBLIC_URL_FLAG,
    ...MACHINES_FLAGS,
    'upgrade-hosts': switchFlag('Change hosts of another version of Muster to those of this one, with a reboot'),
    quiet: switchFlag('Hide progress', { ...OUTPUT, alias: 'q' }),
  },
  examples: [
    ['$0 fleet staging.yaml', 'run until Ctrl-C or SIGTERM; the next start has the same hosts'],
    ['$0 fleet staging.yaml --target https://mon.example --allow mon.example', 'test your own server'],
    ['$0 fleet staging.yaml --data /var/lib/muster', 'keep its data in this folder'],
    ['$0 fleet staging.yaml --metrics-address :9464', 'metrics at http://127.0.0.1:9464/metrics'],
    [
      '$0 fleet staging.yaml --cluster nats://127.0.0.1:4222 --machines 3 --replace',
      'run on three machines that have joined',
    ],
    ['$0 run staging.yaml --set events=fleets/staging/identities.db.events.yaml', 'replay the events of the fleet'],
  ],
  epilogue:
    'Precedence: flag, environment variable in [brackets], file, default.\n' +
    exitCodesText(0, 113, 116, 104, 112, 107),
});

export type FleetFlags = ValuesOf<typeof fleetCommand>;

export const ctlCommand = command({
  usage: 'ctl <what> [of]',
  describe: 'Inspect and control a running fleet',
  positionals: {
    what: {
      choices: Object.keys(CTL_INPUTS) as readonly CtlCommand[],
      demandOption: true,
      describe: 'What to show or do',
    },
    of: {
      type: 'string',
      describe:
        'agents, export: a cohort; agent: its index; do: an event kind; end: the name of an event; scale: how many; apply: a scenario file',
    },
  },
  flags: CTL_FLAGS,
  // `version` is also a key of events: the version that agents are upgraded to.
  hasOwnVersion: true,
  examples: [
    ['$0 ctl fleet', 'show its status'],
    ["$0 ctl agents 'state=refused'", 'list agents that the server refuses'],
    ['$0 ctl agent 7', 'show one agent; ask again to see its last request and answer'],
    ['$0 ctl do restart --cohort 30% --over 2m', 'restart 30%, one after another'],
    ['$0 ctl do stop --cohort all --for 1m', 'stop all agents for a minute'],
    ['$0 ctl do upgrade -s version=3.4.0 --dry-run', 'show which agents it would hit'],
    ['$0 ctl do register-again --dry-run', 'count the agents whose passwords a reset server no longer accepts'],
    ['$0 ctl scale 800', 'keep 800 agents up; 100% for all'],
    ['$0 ctl end cable', 'end the event with this name'],
    ['$0 ctl apply staging.yaml --dry-run', 'show what an edited scenario would change'],
    ['$0 ctl watch', 'follow changes until Ctrl-C'],
    ['$0 ctl export --format openitcockpit', 'print one body for POST /hosts/add.json per line'],
    ['$0 ctl provision --services', 'give the agents hosts on their monitoring server'],
  ],
  epilogue: 'The token comes from MUSTER_CONTROL_TOKEN or from the control file.',
});

const CHANGE_FLAGS = {
  rate: textFlag('Maximum number of requests per second', { default: '20' }),
  ledger: textFlag('File that remembers what was created; default: fleets/NAME/provisioned.db'),
  'dry-run': switchFlag('Print the requests that would change the server'),
};

export const provisionCommand = command({
  usage: 'provision <scenario>',
  describe: 'Give the agents of a fleet hosts on the monitoring server, so that it accepts their data',
  positionals: { scenario: SCENARIO_FILE },
  flags: {
    ...HOST_FLAGS,
    services: optionalSwitch('Also create all services that the server offers'),
    all: switchFlag('Also add hosts for agents that have not registered yet'),
    ...CHANGE_FLAGS,
    ...SCENARIO_FLAGS,
  },
  examples: [
    ['$0 provision steady.yaml', 'add a host for each registered agent and assign the agent to it'],
    ['$0 provision steady.yaml --services --tag load-test', 'also create services; tag the hosts'],
    ['$0 provision steady.yaml --dry-run', 'print the requests without sending them'],
  ],
  epilogue:
    'Repeat it after an interruption, or when more agents have registered: nothing is created twice. ' +
    'muster cleanup removes everything again.\n' +
    'Exit codes: 0 done, 105 interrupted, 112 target not allowed, 113 some agents failed.',
});

export type ProvisionFlags = ValuesOf<typeof provisionCommand>;

export const cleanupCommand = command({
  usage: 'cleanup <scenario>',
  describe: 'Remove the hosts, services and registrations of a fleet from the monitoring server',
  positionals: { scenario: SCENARIO_FILE },
  flags: {
    yes: switchFlag('Do not ask'),
    ...CHANGE_FLAGS,
    ...SCENARIO_FLAGS,
  },
  examples: [
    ['$0 cleanup steady.yaml', 'show how much would be removed, ask, and remove it'],
    ['$0 cleanup steady.yaml --yes', 'remove it without asking, as in CI'],
  ],
  epilogue:
    'It removes hosts that are in the ledger and that the server confirms, and registrations with the identity of an agent. ' +
    'Stop the fleet before.\n' +
    'Exit codes: 0 done, 105 interrupted, 112 target not allowed, 113 something is left.',
});

export type CleanupFlags = ValuesOf<typeof cleanupCommand>;
