import { exitCodesText } from '../exit-codes.ts';
import { FLEET_FLAGS, type FleetFlags } from '../flags/run-flags.ts';
import type { Command } from '../io.ts';

export const fleetCommand: Command<FleetFlags> = (io, end) => ({
  command: 'fleet <scenario>',
  describe: 'Keep a fleet running until you stop it; the same hosts return at each start',
  builder: (yargs) =>
    yargs
      .positional('scenario', {
        type: 'string',
        demandOption: true,
        describe: 'Scenario file; its last phase never ends',
      })
      .options(FLEET_FLAGS)
      .example('$0 fleet staging.yaml', 'run until Ctrl-C or SIGTERM; the next start has the same hosts')
      .example('$0 fleet staging.yaml --target https://mon.example --allow mon.example', 'test your own server')
      .example('$0 fleet staging.yaml --data /var/lib/muster', 'keep its data in this folder')
      .example('$0 fleet staging.yaml --metrics-address :9464', 'metrics at http://127.0.0.1:9464/metrics')
      .example(
        '$0 fleet staging.yaml --cluster nats://127.0.0.1:4222 --machines 3 --replace',
        'run on three machines that have joined',
      )
      .example(
        '$0 run staging.yaml --set events=fleets/staging/identities.db.events.yaml',
        'replay the events of the fleet',
      )
      .epilogue(
        'Precedence: flag, environment variable in [brackets], file, default.\n' +
          exitCodesText(0, 113, 116, 104, 112, 107),
      ),
  handler: async (flags) => {
    const { keepFleet } = await import('../actions/fleet.ts');
    end(await keepFleet(flags, io));
  },
});
