import type { DocumentName, InspectFlags } from '../actions/inspect.ts';
import { SCENARIO_FLAGS } from '../flags/common.ts';
import type { Command } from '../io.ts';

const DOCUMENTS = ['checkdata', 'packages', 'identity', 'config'] as const satisfies readonly DocumentName[];

export const inspectCommand: Command<InspectFlags> = (io) => ({
  command: 'inspect <scenario>',
  describe: 'Print what one agent sends or stores at a given time; events apply as if the run started now',
  builder: (yargs) =>
    yargs
      .positional('scenario', { type: 'string', demandOption: true, describe: 'Scenario file, or - for stdin' })
      .option('agent', {
        type: 'string',
        requiresArg: true,
        default: '0',
        describe: 'Index of the agent, from 0, or a cohort such as role=database, for its first agent',
      })
      .option('cohort', {
        type: 'string',
        requiresArg: true,
        describe: 'List the agents of a cohort such as profile=windows-*, or of the event with this name',
      })
      .option('at', {
        type: 'string',
        requiresArg: true,
        describe: 'Time: ISO 8601, an offset from now such as 5m, or one in a phase such as steady+5s; default: now',
      })
      .option('what', { choices: DOCUMENTS, default: 'checkdata' as const, describe: 'Document to print' })
      .option('pretty', { type: 'boolean', describe: 'Indent the JSON; default on a terminal' })
      .option('diff', {
        type: 'string',
        requiresArg: true,
        describe: 'Show what changes within this time, such as 30s',
      })
      .options(SCENARIO_FLAGS)
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
