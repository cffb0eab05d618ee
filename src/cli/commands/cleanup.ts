import { SCENARIO_FILE } from '../flags/common.ts';
import { CLEANUP_FLAGS, type CleanupFlags } from '../flags/provision.ts';
import type { Command } from '../io.ts';

export const cleanupCommand: Command<CleanupFlags> = (io, end) => ({
  command: 'cleanup <scenario>',
  describe: 'Remove the hosts, services and registrations of a fleet from the monitoring server',
  builder: (yargs) =>
    yargs
      .positional('scenario', SCENARIO_FILE)
      .options(CLEANUP_FLAGS)
      .example('$0 cleanup steady.yaml', 'show how much would be removed, ask, and remove it')
      .example('$0 cleanup steady.yaml --yes', 'remove it without asking, as in CI')
      .epilogue(
        'It removes hosts that carry the mark of the fleet or are in the ledger, and registrations with the identity of an agent. ' +
          'Stop the fleet before.\n' +
          'Exit codes: 0 done, 105 interrupted, 112 target not allowed, 113 something could not be removed.',
      ),
  handler: async (flags) => {
    const { cleanUpFleet } = await import('../actions/provision.ts');
    end(await cleanUpFleet(flags, io));
  },
});
