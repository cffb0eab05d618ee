import type { InferredOptionTypes, Options } from 'yargs';
import { CLUSTER_FLAGS, MACHINES_FLAGS } from './cluster-flags.ts';
import { METRICS, OUT_FLAG, OUTPUT, REPORT_FLAGS, SCENARIO_FLAGS, TEXT_FLAG, WORKERS_FLAG } from './common.ts';
import { FIGURE_FLAGS } from './figure-flags.ts';

const SUMMARY_FLAG = {
  json: { type: 'boolean', ...OUTPUT, alias: 'j', default: false, describe: 'Print only the JSON summary to stdout' },
} as const;

/** Flags of `muster merge`. */
export const MERGE_FLAGS = { ...OUT_FLAG, ...REPORT_FLAGS, ...SUMMARY_FLAG };

export type MergeFlags = InferredOptionTypes<typeof MERGE_FLAGS> & { readonly result: string[] };

/** Flags of `muster run`. */
export const RUN_FLAGS = {
  ...SCENARIO_FLAGS,
  ...WORKERS_FLAG,
  shard: {
    ...TEXT_FLAG,
    describe:
      'Run only part i of n of the fleet, such as 2/3, or index/3 in a Kubernetes Job; muster merge combines the results [MUSTER_SHARD]',
  },
  'start-at': {
    ...TEXT_FLAG,
    describe:
      'Start at this time, such as 2026-01-31T12:00:00Z; lets shards on several machines start together [MUSTER_START_AT]',
  },
  'give-up': {
    ...TEXT_FLAG,
    describe:
      'End the run if nothing has reached the target for this long from the start, such as 30s; default: agents try until the end, as real ones do [MUSTER_GIVE_UP]',
  },
  ...OUT_FLAG,
  ...FIGURE_FLAGS,
  control: {
    type: 'string',
    ...METRICS,
    describe:
      'Serve the control API for muster ctl and the dashboard on this address; without a value, on any free loopback port [MUSTER_CONTROL]',
  },
  ...CLUSTER_FLAGS,
  ...REPORT_FLAGS,
  ...SUMMARY_FLAG,
  quiet: {
    type: 'boolean',
    ...OUTPUT,
    alias: 'q',
    default: false,
    describe: 'Hide progress and print a one-line verdict; if the run fails, also show answers of the server',
  },
  debug: {
    type: 'boolean',
    ...OUTPUT,
    default: false,
    describe: 'Print requests and answers as they happen instead of the live view; secrets appear as ***',
  },
  agent: { ...TEXT_FLAG, ...OUTPUT, describe: 'With --debug: print only the agent with this index, from 0' },
} as const satisfies Record<string, Options>;

export type RunCommandFlags = InferredOptionTypes<typeof RUN_FLAGS> & { readonly scenario: string[] };

/** Those that apply to a run, whatever its scenario. */
export type RunFlags = Omit<
  RunCommandFlags,
  'scenario' | keyof typeof SCENARIO_FLAGS | keyof typeof FIGURE_FLAGS | keyof typeof REPORT_FLAGS
>;

const { duration: _, ...FLEET_SCENARIO_FLAGS } = SCENARIO_FLAGS;

/** Flags of `muster fleet`. */
export const FLEET_FLAGS = {
  ...FLEET_SCENARIO_FLAGS,
  data: {
    ...TEXT_FLAG,
    describe:
      'Folder for data kept between starts; default: that of fleet.identities, otherwise fleets/<scenario name> [MUSTER_DATA]',
  },
  ...WORKERS_FLAG,
  ...FIGURE_FLAGS,
  control: {
    type: 'string',
    ...METRICS,
    describe: 'Address of the control API, such as 127.0.0.1:9500; default: any free loopback port [MUSTER_CONTROL]',
  },
  ...MACHINES_FLAGS,
  'upgrade-hosts': {
    type: 'boolean',
    default: false,
    describe: 'Change hosts of another version of Muster to those of this one, with a reboot',
  },
  quiet: { type: 'boolean', ...OUTPUT, alias: 'q', default: false, describe: 'Hide progress' },
} as const satisfies Record<string, Options>;

export type FleetFlags = InferredOptionTypes<typeof FLEET_FLAGS> & { readonly scenario: string };

/** Flags of `muster join`. */
export const JOIN_FLAGS = {
  name: { ...TEXT_FLAG, describe: 'Name of this machine; default: its host name' },
  ...WORKERS_FLAG,
  once: { type: 'boolean', default: false, describe: 'Leave after one run' },
} as const satisfies Record<string, Options>;

export type JoinFlags = InferredOptionTypes<typeof JOIN_FLAGS> & { readonly cluster: string };
