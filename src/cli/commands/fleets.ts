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
