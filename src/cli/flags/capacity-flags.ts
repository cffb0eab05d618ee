import type { InferredOptionTypes, Options } from 'yargs';
import { MACHINES_FLAGS } from './cluster-flags.ts';
import { OUTPUT, SCENARIO_FLAGS, TEXT_FLAG, WORKERS_FLAG } from './common.ts';
import { FIGURE_FLAGS } from './figure-flags.ts';

/** Flags of `muster capacity`. */
export const CAPACITY_FLAGS = {
  until: {
    ...TEXT_FLAG,
    describe: "Conditions that each step must meet, joined by and; default: the scenario's thresholds",
  },
  raise: {
    ...TEXT_FLAG,
    choices: ['agents', 'rate'],
    describe: 'What to raise; default: agents if they push at an interval, otherwise the rate',
  },
  from: { ...TEXT_FLAG, describe: "First load, such as 500 or 200/s; default: the scenario's load" },
  to: {
    ...TEXT_FLAG,
    describe: 'Highest load to try; default: the capacity of this machine, times --machines',
  },
  growth: { ...TEXT_FLAG, default: '1.5', describe: 'Factor between steps while they pass' },
  resolution: { ...TEXT_FLAG, default: '5%', describe: 'Precision of the result' },
  step: { ...TEXT_FLAG, default: '15s', describe: 'How long to measure each load' },
  settle: { ...TEXT_FLAG, default: '5s', describe: 'How long to apply each load before measuring' },
  ...WORKERS_FLAG,
  out: {
    ...TEXT_FLAG,
    ...OUTPUT,
    alias: 'o',
    describe: 'Folder for the results of all steps; default: results [MUSTER_OUT]',
  },
  html: { ...TEXT_FLAG, ...OUTPUT, describe: 'Write the curve as an HTML page to this file' },
  json: { type: 'boolean', ...OUTPUT, alias: 'j', default: false, describe: 'Print only the JSON result to stdout' },
  ...SCENARIO_FLAGS,
  ...FIGURE_FLAGS,
  ...MACHINES_FLAGS,
} as const satisfies Record<string, Options>;

export type CapacityCommandFlags = InferredOptionTypes<typeof CAPACITY_FLAGS> & { readonly scenario: string };

/** Those that apply to a search, whatever its scenario. */
export type CapacityFlags = Omit<
  CapacityCommandFlags,
  'scenario' | keyof typeof SCENARIO_FLAGS | keyof typeof FIGURE_FLAGS
>;
