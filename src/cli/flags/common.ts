import type { InferredOptionTypes, Options } from 'yargs';
import { UserError } from '../../ground/kernel/errors.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import { complaintAbout, matching, parsed } from './values.ts';

/** Where a command runs: its variables, and the folder of relative paths. */
export type CommandContext = { readonly environment: Variables; readonly cwd: string };

/** A flag with one value. */
export const TEXT_FLAG = { type: 'string', requiresArg: true } as const;

/** Headings of flags in the help. */
export const OUTPUT = { group: 'Output:' } as const;
export const METRICS = { group: 'Metrics and control:' } as const;

const text = { ...TEXT_FLAG, group: 'Scenario:' } as const;
const list = { ...text, array: true } as const;

/** Flags of every command that reads scenarios. Descriptions name the environment variable, if any, in brackets. */
export const SCENARIO_FLAGS = {
  target: {
    ...list,
    alias: 't',
    describe:
      'Server under test: embedded or a base URL; repeat to distribute agents over several URLs [MUSTER_TARGET]',
  },
  'api-key': { ...text, describe: 'API key of the server [MUSTER_API_KEY]' },
  agents: { ...text, alias: 'a', describe: 'Number of agents [MUSTER_AGENTS]' },
  duration: {
    ...text,
    alias: 'd',
    describe: 'Duration of the longest phase that has one; other phases keep theirs [MUSTER_DURATION]',
  },
  seed: { ...text, describe: 'Seed of the fleet; the same seed creates the same hosts [MUSTER_SEED]' },
  allow: { ...list, describe: 'Host beyond loopback that may be put under load; repeatable [MUSTER_ALLOW]' },
  'allow-listen': {
    ...list,
    describe: 'Address beyond loopback where agents may listen; repeatable [MUSTER_ALLOW_LISTEN]',
  },
  set: { ...list, alias: 's', describe: 'Set any value of the scenario, path=value; repeatable' },
  'env-file': { ...text, describe: 'File with NAME=value lines; environment variables take precedence' },
} as const satisfies Record<string, Options>;

export type ScenarioFlags = InferredOptionTypes<typeof SCENARIO_FLAGS>;

/** Flags for CI. */
export const REPORT_FLAGS = {
  junit: { ...TEXT_FLAG, ...OUTPUT, describe: 'Write thresholds and validity as JUnit XML to this file' },
} as const;

export const WORKERS_FLAG = {
  workers: {
    ...TEXT_FLAG,
    alias: 'w',
    describe: 'Number of worker threads; default: chosen for this machine [MUSTER_WORKERS]',
  },
} as const;

export const OUT_FLAG = {
  out: { ...TEXT_FLAG, ...OUTPUT, alias: 'o', describe: 'Folder for results; default: results [MUSTER_OUT]' },
} as const;

/** The argument of commands for one scenario. */
export const SCENARIO_FILE = { type: 'string', demandOption: true, describe: 'Scenario file, or - for stdin' } as const;

export type ReportFlags = { readonly junit: string | undefined };

/** Parses the index of an agent in a fleet of this size. Throws `UserError` if it is out of range. */
export function agentIndex(text: string, agents: number): number {
  const index = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (index < agents) return index;
  throw new UserError(`--agent: expected an index from 0 to ${agents - 1}, the range of this fleet, found ${text}.`);
}

/** The environment variable of a flag; its value is `undefined` if it is unset or empty. */
export function variableOf(flag: string, environment: Variables): { name: string; value: string | undefined } {
  const name = `MUSTER_${flag.replaceAll('-', '_').toUpperCase()}`;
  return { name, value: environment[name] || undefined };
}

/** Parses a percentage such as `5%` to a share; `5%` is 0.05. Throws `UserError` for anything else. */
export function percentageOf(flag: string, given: string): number {
  const percent = parsed(given, matching(/^\d+(\.\d+)?%$/), complaintAbout(`--${flag}`, 'a percentage such as 5%'));
  return Number.parseFloat(percent) / 100;
}
