import type { InferredOptionTypes, Options } from 'yargs';
import { SCENARIO_FLAGS, TEXT_FLAG } from './common.ts';

/** Flags of `muster inspect`. */
export const INSPECT_FLAGS = {
  agent: {
    ...TEXT_FLAG,
    default: '0',
    describe: 'Index of the agent, from 0, or a cohort such as role=database, for its first agent',
  },
  cohort: {
    ...TEXT_FLAG,
    describe: 'List the agents of a cohort such as profile=windows-*, or of the event with this name',
  },
  at: {
    ...TEXT_FLAG,
    describe: 'Time: ISO 8601, an offset from now such as 5m, or one in a phase such as steady+5s; default: now',
  },
  what: {
    choices: ['checkdata', 'packages', 'identity', 'config'],
    default: 'checkdata',
    describe: 'Document to print',
  },
  pretty: { type: 'boolean', describe: 'Indent the JSON; default on a terminal' },
  diff: { ...TEXT_FLAG, describe: 'Show what changes within this time, such as 30s' },
  ...SCENARIO_FLAGS,
} as const satisfies Record<string, Options>;

export type InspectFlags = InferredOptionTypes<typeof INSPECT_FLAGS> & { readonly scenario: string };
