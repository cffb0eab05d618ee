import type { CtlFlags, CtlWhat } from '../actions/ctl.ts';
import type { Command } from '../io.ts';

const WHAT = [
  ...(['fleet', 'agents', 'agent', 'events', 'do', 'end', 'scale', 'watch', 'figures', 'scenario', 'export'] as const),
  'apply',
] satisfies readonly CtlWhat[];

const FORMATS = ['csv', 'json', 'openitcockpit'] as const satisfies readonly CtlFlags['format'][];

const text = { type: 'string', requiresArg: true } as const;
const ofEvent = { ...text, group: 'What happens:' } as const;

/** Its flags. */
export const CTL_FLAGS = {
  url: { ...text, describe: 'Address of its control API; default: from its control file [MUSTER_CONTROL_URL]' },
  scenario: { ...text, describe: 'The scenario of the fleet, if more than one is up' },
  data: { ...text, describe: 'The folder that the fleet keeps its data in' },
  json: { alias: 'j', type: 'boolean', default: false, describe: 'The answer of the API, for programs' },
  limit: { ...text, default: '100', describe: 'agents: so many at most' },
  resolution: { choices: ['second', 'minute', 'hour'], describe: 'figures: of what time each row is' },
  format: { choices: FORMATS, default: 'csv', describe: 'export: as what' },
  container: { ...text, default: '1', describe: 'export: id of the container that hosts are put into' },
  'host-template': { ...text, default: '1', describe: 'export: id of their host template' },
  cohort: { ...ofEvent, describe: 'To whom, such as 30% or role=web; default: all' },
  at: { ...ofEvent, describe: 'When, as in scenarios; default: now' },
  for: { ...ofEvent, describe: 'How long, such as 10m; default: until it is ended' },
  over: { ...ofEvent, describe: 'Time in which they are hit one after another' },
  name: { ...ofEvent, describe: 'Its name; default: what it does and a number' },
  sticky: { ...ofEvent, describe: 'A word from which shares are drawn' },
  set: {
    ...ofEvent,
    array: true,
    alias: 's',
    describe: 'Any other key of the event, key=value; apply: of the scenario, path=value; repeatable',
  },
  'dry-run': {
    type: 'boolean',
    default: false,
    group: 'What happens:',
    describe: 'Only say whom it would hit, or what apply would change',
  },
} as const;

export const ctlCommand: Command<CtlFlags> = (io) => ({
  command: 'ctl <what> [of]',
  describe: 'Looks into a fleet that is up, and acts on it',
  builder: (yargs) =>
    yargs
      // An event has a version, too: the one that agents are upgraded to.
      .version(false)
      .positional('what', { choices: WHAT, demandOption: true, describe: 'What to see or to do' })
      .positional('of', {
        type: 'string',
        describe:
          'agents, export: a cohort; agent: its index; do: a kind of event; end: its name; scale: how many; apply: a scenario file',
      })
      .options(CTL_FLAGS)
      .example('$0 ctl fleet', 'how it stands')
      .example("$0 ctl agents 'state=refused'", 'who is refused now')
      .example('$0 ctl agent 7', 'one of them; ask again to see its last request and answer')
      .example('$0 ctl do restart --cohort 30% --over 2m', 'restarts a third, one after another')
      .example('$0 ctl do upgrade -s version=3.4.0 --dry-run', 'whom it would hit')
      .example('$0 ctl scale 800', 'only so many are up; 100% for all')
      .example('$0 ctl end cable', 'what happens under this name is over')
      .example('$0 ctl apply staging.yaml --dry-run', 'what an edited scenario would change')
      .example('$0 ctl watch', 'what changes, until Ctrl-C')
      .example('$0 ctl export --format openitcockpit', 'a body for POST /hosts/add.json a line')
      .epilogue('The token stands in the control file, or in MUSTER_CONTROL_TOKEN.'),
  handler: async (flags) => {
    const { controlFleet } = await import('../actions/ctl.ts');
    await controlFleet(flags, io);
  },
});
