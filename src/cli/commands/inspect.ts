import { SCENARIO_FILE } from '../flags/common.ts';
import { INSPECT_FLAGS, type InspectFlags } from '../flags/inspect.ts';
import type { Command } from '../io.ts';

export const inspectCommand: Command<InspectFlags> = (io) => ({
  command: 'inspect <scenario>',
  describe: 'Print what one agent sends or stores at a given time; events apply as if the run started now',
  builder: (yargs) =>
    yargs
      .positional('scenario', SCENARIO_FILE)
      .options(INSPECT_FLAGS)
      .example('$0 inspect scenarios/quickstart.yaml --agent 7', 'print what agent 7 would push now')
      .example(
        '$0 inspect scenarios/quickstart.yaml --at 2026-01-31T12:00:00Z | jq .cpu',
        'print the same bytes every time',
      )
      .example(
        "$0 inspect scenarios/quickstart.yaml --cohort 'role=database and not 0..9'",
        'list the agents of a cohort',
      )
      .example('$0 inspect scenarios/quickstart.yaml --diff 30s', 'show what changes within 30 seconds'),
  handler: async (flags) => {
    const { inspect } = await import('../actions/inspect.ts');
    await inspect(flags, io);
  },
});
