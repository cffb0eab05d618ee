import type { FleetCommandFlags } from '../actions/fleet.ts';
import { MACHINES_FLAGS } from '../flags/cluster-flags.ts';
import { SCENARIO_FLAGS } from '../flags/common.ts';
import type { Command } from '../io.ts';

const { duration: _, ...FLEET_SCENARIO_FLAGS } = SCENARIO_FLAGS;

export const fleetCommand: Command<FleetCommandFlags> = (io, end) => ({
  command: 'fleet <scenario>',
  describe: 'Keeps the fleet of a scenario up until it is stopped, the same hosts each time',
  builder: (yargs) =>
    yargs
      .positional('scenario', {
        type: 'string',
        demandOption: true,
        describe: 'Scenario file; its last phase goes on for ever',
      })
      .options(FLEET_SCENARIO_FLAGS)
      .option('data', {
        type: 'string',
        requiresArg: true,
        describe:
          'Folder of what outlives the process; default: beside fleet.identities, else fleets/<name of the scenario> [MUSTER_DATA]',
      })
      .option('workers', {
        alias: 'w',
        type: 'string',
        requiresArg: true,
        describe: 'Worker threads; default: as fits the machine [MUSTER_WORKERS]',
      })
      .option('metrics-address', {
        type: 'string',
        requiresArg: true,
        describe: 'Figures for Prometheus, such as 127.0.0.1:9464; loopback only [MUSTER_METRICS_ADDRESS]',
      })
      .option('control', {
        type: 'string',
        describe: 'Where muster ctl finds it, such as 127.0.0.1:9500; default: any port of loopback [MUSTER_CONTROL]',
      })
      .options(MACHINES_FLAGS)
      .option('quiet', { alias: 'q', type: 'boolean', default: false, describe: 'No progress' })
      .example('$0 fleet staging.yaml', 'until Ctrl-C or SIGTERM; the next time the same hosts')
      .example('$0 fleet staging.yaml --target https://mon.example --allow mon.example', 'against a server of yours')
      .example('$0 fleet staging.yaml --data /var/lib/muster', 'with its files in a folder of their own')
      .example('$0 fleet staging.yaml --metrics-address :9464', 'with figures at http://127.0.0.1:9464/metrics')
      .example(
        '$0 fleet staging.yaml --cluster nats://127.0.0.1:4222 --machines 3 --replace',
        'on three machines that have joined',
      )
      .example(
        '$0 run staging.yaml --set events=fleets/staging/identities.db.events.yaml',
        'what was done to it, again',
      )
      .epilogue(
        'Precedence: flag, environment variable in [brackets], file, default.\n' +
          'Exit codes: 0 stopped in order, 104 wrong scenario or flags, 107 internal error, 112 target not allowed, ' +
          '113 a worker was lost, 116 the disk did not take the passwords.',
      ),
  handler: async (flags) => {
    const { keepFleet } = await import('../actions/fleet.ts');
    end(await keepFleet(flags, io));
  },
});
