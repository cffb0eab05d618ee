import type { CtlFlags } from '../actions/ctl.ts';
import { CTL_FLAGS, type CtlWhat, TAKEN } from '../flags/ctl-flags.ts';
import type { Command } from '../io.ts';

export const ctlCommand: Command<CtlFlags> = (io, end) => ({
  command: 'ctl <what> [of]',
  describe: 'Inspect and control a running fleet',
  builder: (yargs) =>
    yargs
      // `version` is also a key of events: the version that agents are upgraded to.
      .version(false)
      .positional('what', {
        choices: Object.keys(TAKEN) as readonly CtlWhat[],
        demandOption: true,
        describe: 'What to show or do',
      })
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
      .example('$0 ctl do stop --cohort all --for 1m', 'stop all agents for a minute')
      .example('$0 ctl do upgrade -s version=3.4.0 --dry-run', 'show which agents it would hit')
      .example(
        '$0 ctl do register-again --dry-run',
        'count the agents whose passwords a reset server no longer accepts',
      )
      .example('$0 ctl scale 800', 'keep 800 agents up; 100% for all')
      .example('$0 ctl end cable', 'end the event with this name')
      .example('$0 ctl apply staging.yaml --dry-run', 'show what an edited scenario would change')
      .example('$0 ctl watch', 'follow changes until Ctrl-C')
      .example('$0 ctl export --format openitcockpit', 'print one body for POST /hosts/add.json per line')
      .example('$0 ctl provision --services', 'give the agents hosts on their monitoring server')
      .epilogue('The token comes from MUSTER_CONTROL_TOKEN or from the control file.'),
  handler: async (flags) => {
    const { controlFleet } = await import('../actions/ctl.ts');
    end(await controlFleet(flags, io));
  },
});
