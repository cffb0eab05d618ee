import type { InferredOptionTypes, Options } from 'yargs';
import { MEASURED_OPERATIONS } from '../../ground/protocol/operations.ts';
import { TEXT_FLAG } from './common.ts';

/** Flags of `muster compare`. */
export const COMPARE_FLAGS = {
  tolerance: { ...TEXT_FLAG, default: '5%', describe: 'Largest change for the worse that still passes' },
  markdown: { ...TEXT_FLAG, describe: 'Write the comparison as Markdown to this file' },
  html: { ...TEXT_FLAG, describe: 'Write the comparison as an HTML page to this file' },
  junit: { ...TEXT_FLAG, describe: 'Write the comparison as JUnit XML to this file, one test case per figure' },
  json: { type: 'boolean', default: false, describe: 'Print the comparison as JSON instead of text' },
} as const satisfies Record<string, Options>;

export type CompareFlags = InferredOptionTypes<typeof COMPARE_FLAGS> & {
  readonly base: string;
  readonly candidate: string;
};

/** Flags of `muster history`. */
export const HISTORY_FLAGS = {
  scenario: { ...TEXT_FLAG, describe: 'Only runs of this scenario' },
  operation: {
    choices: MEASURED_OPERATIONS,
    requiresArg: true,
    describe: 'Operation whose figures to list; default: checkdata',
  },
  last: { ...TEXT_FLAG, describe: 'Only this many newest runs of each scenario' },
  html: { ...TEXT_FLAG, describe: 'Write a page with charts of all figures to this file' },
  json: { type: 'boolean', default: false, describe: 'Print all figures as JSON instead of text' },
} as const satisfies Record<string, Options>;

export type HistoryFlags = InferredOptionTypes<typeof HISTORY_FLAGS> & { readonly folder: string };
