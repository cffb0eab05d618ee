import { resolve } from 'node:path';
import type { Address } from '../../kernel/address.ts';
import { UserError } from '../../kernel/errors.ts';
import type { Environment } from '../../scenario/reading/variables.ts';
import type { LoadedScenario } from './load-scenarios.ts';
import { metricsAddressOf } from './metrics-address.ts';
import { onlyOne, variableOf } from './scenario.ts';

/** What `muster run` is asked to do. */
export type RunRequest = {
  /** Carried out one after another, in this order. */
  readonly scenarios: readonly LoadedScenario[];
  /** Worker threads; undefined: as many as fit the machine. */
  readonly workers: number | undefined;
  /** Absolute; every scenario has a folder of its own below it. */
  readonly resultsFolder: string;
  /** Where scrapers may ask for figures while the runs go on; undefined: nowhere. */
  readonly metricsAddress: Address | undefined;
  /** The summary goes to stdout as JSON, one document per scenario, and nothing else does. */
  readonly json: boolean;
  /** No progress, and the verdict in one line. */
  readonly quiet: boolean;
};

/** The flags of `muster run` besides those of scenarios. */
export type RunFlags = {
  readonly workers: string | undefined;
  readonly out: string | undefined;
  readonly 'metrics-address': string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
};

type Surroundings = { readonly environment: Environment; readonly cwd: string };

/** Puts the flags together with what the environment says. Throws `UserError` for a value that makes no sense. */
export function runRequest(
  scenarios: readonly LoadedScenario[],
  flags: RunFlags,
  { environment, cwd }: Surroundings,
): RunRequest {
  const out = onlyOne('out', flags.out) ?? variableOf('out', environment).value ?? 'results';
  const { json, quiet } = flags;
  const metricsAddress = metricsAddressOf(flags['metrics-address'], environment);
  return {
    ...{ scenarios, workers: workersOf(flags, environment), resultsFolder: resolve(cwd, out) },
    ...{ metricsAddress, json, quiet },
  };
}

function workersOf(flags: RunFlags, environment: Environment): number | undefined {
  const given = onlyOne('workers', flags.workers);
  const variable = variableOf('workers', environment);
  const text = given ?? variable.value;
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  const source = given === undefined ? variable.name : '--workers';
  throw new UserError(`${source}: expected a whole number of threads from 1 to 9999, found ${JSON.stringify(text)}`);
}
