import { SCENARIO_FILE } from '../flags/common.ts';
import { PROVISION_FLAGS, type ProvisionFlags } from '../flags/provision.ts';
import type { Command } from '../io.ts';

export const provisionCommand: Command<ProvisionFlags> = (io, end) => ({
  command: 'provision <scenario>',
  describe: 'Give the agents of a fleet hosts on the monitoring server, so that it accepts their data',
  builder: (yargs) =>
    yargs
      .positional('scenario', SCENARIO_FILE)
      .options(PROVISION_FLAGS)
      .example('$0 provision steady.yaml', 'add a host for each registered agent and assign the agent to it')
      .example('$0 provision steady.yaml --services --tag load-test', 'also create services; tag the hosts')
      .example('$0 provision steady.yaml --dry-run', 'print the requests without sending them')
      .epilogue(
        'Repeat it after an interruption, or when more agents have registered: nothing is created twice. ' +
          'muster cleanup removes everything again.\n' +
          'Exit codes: 0 done, 105 interrupted, 112 target not allowed, 113 some agents failed.',
      ),
  handler: async (flags) => {
    const { provisionFleet } = await import('../actions/provision.ts');
    end(await provisionFleet(flags, io));
  },
});
