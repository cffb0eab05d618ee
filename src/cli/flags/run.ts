import { resolve } from 'node:path';
import { z } from 'zod';
import { type Address, parseAddress, parsePort } from '../../ground/kernel/address.ts';
import { UserError } from '../../ground/kernel/errors.ts';
import { parseDuration } from '../../ground/kernel/units.ts';
import { quoted } from '../../ground/notation/finding.ts';
import { isInShard, type Shard, WHOLE_FLEET } from '../../load/shard.ts';
import type { TraceScope } from '../../metrics/recording/trace.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import { type ClusterRequest, clusterRequest } from './cluster-request.ts';
import { agentIndex, type CommandContext, onlyOne, variableOf } from './common.ts';
import type { LoadedScenario } from './load-scenarios.ts';
import type { RunFlags } from './run-flags.ts';

/** The validated request of `muster run`. */
export type RunRequest = {
  /** `undefined` to run on this machine alone. */
  readonly cluster: ClusterRequest | undefined;
  /** Run one after another, in this order. */
  readonly scenarios: readonly LoadedScenario[];
  /** Number of worker threads; `undefined` to choose it for this machine. */
  readonly workers: number | undefined;
  readonly shard: Shard;
  /** `undefined` to start as soon as everything is ready. */
  readonly startAt: Date | undefined;
  /** `undefined`: agents try to reach the target until the end. */
  readonly giveUpMs: number | undefined;
  /** Absolute; each scenario has its own subfolder. */
  readonly resultsFolder: string;
  /** Listen address of the control API; `undefined` for no API. */
  readonly controlAddress: Address | undefined;
  /** Whether stdout contains only the summaries as JSON, one document per scenario. */
  readonly json: boolean;
  /** Whether to hide progress and print a one-line verdict. */
  readonly quiet: boolean;
  /** Agents whose requests and answers are printed as they happen; `undefined` for none. */
  readonly debug: TraceScope | undefined;
};

/** The requested number of worker threads; `undefined` to choose it for this machine. */
export function workersWanted(flags: Pick<RunFlags, 'workers'>, environment: Variables): number | undefined {
  return workersOf(givenValue('workers', flags, environment));
}

/** Address of the control API of a fleet; default: any free loopback port. */
export function controlAddressWanted(flags: Pick<RunFlags, 'control'>, environment: Variables): Address {
  return controlAddressOf(givenValue('control', flags, environment)) ?? { host: '127.0.0.1', port: 0 };
}

/** Combines flags and environment. Throws `UserError` for an invalid value. */
export function runRequest(
  scenarios: readonly LoadedScenario[],
  flags: RunFlags,
  { environment, cwd }: CommandContext,
): RunRequest {
  const { json, quiet } = flags;
  const given = (flag: 'shard' | 'start-at') => givenValue(flag, flags, environment);
  const startAt = startOf(given('start-at'));
  if (startAt !== undefined && scenarios.length > 1) {
    throw new UserError(`--start-at: expected one scenario, found ${scenarios.length}; run them separately.`);
  }
  const controlAddress = controlAddressOf(givenValue('control', flags, environment));
  if (controlAddress !== undefined && scenarios.length > 1) {
    throw new UserError(`--control: expected one scenario, found ${scenarios.length}; run them separately.`);
  }
  const shard = shardOf(given('shard'), environment);
  const cluster = clusterOf(flags, { environment, shard, startAt });
  return {
    ...{ cluster, scenarios, startAt, json, quiet, shard, controlAddress },
    debug: traceScopeOf(flags, scenarios, shard),
    workers: workersWanted(flags, environment),
    giveUpMs: giveUpOf(givenValue('give-up', flags, environment)),
    resultsFolder: resultsFolder(flags, { environment, cwd }),
  };
}

/** The cluster flags. Throws `UserError` if they are combined with flags for one machine. */
function clusterOf(
  flags: RunFlags,
  { environment, shard, startAt }: Pick<RunRequest, 'shard' | 'startAt'> & Pick<CommandContext, 'environment'>,
): ClusterRequest | undefined {
  const cluster = clusterRequest(flags, environment);
  if (cluster === undefined) return undefined;
  const alone = [shard.count > 1 && '--shard', startAt && '--start-at', flags.debug && '--debug'].find(Boolean);
  if (alone) throw new UserError(`${alone} applies to one machine, but --cluster to several: omit one of them.`);
  return cluster;
}

/** The agents that --debug prints. Throws `UserError` if the fleet or the shard does not contain the agent. */
function traceScopeOf(
  { debug, agent }: Pick<RunFlags, 'debug' | 'agent'>,
  scenarios: readonly LoadedScenario[],
  shard: Shard,
): TraceScope | undefined {
  const text = onlyOne('agent', agent);
  if (text === undefined) return debug ? { agent: undefined } : undefined;
  if (!debug) throw new UserError('--agent selects what --debug prints: add --debug, or omit --agent.');
  const [index = 0] = scenarios.map(({ scenario }) => agentIndex(text, scenario.fleet.agents));
  if (isInShard(shard, index)) return { agent: index };
  throw new UserError(
    `--agent: expected an agent of shard ${shard.index + 1} of ${shard.count}, found ${index}, which belongs to shard ${(index % shard.count) + 1}.`,
  );
}

/** The absolute folder for results. Throws `UserError` for a value of the form name=value. */
export function resultsFolder(flags: Pick<RunFlags, 'out'>, { environment, cwd }: CommandContext): string {
  const { source, text } = givenValue('out', flags, environment) ?? { source: '', text: 'results' };
  if (!/^[a-z][a-z-]*=/.test(text)) return resolve(cwd, text);
  throw new UserError(
    `${source}: expected a folder for results, such as ./results, found ${quoted(text)}; ` +
      'a run writes all its files there, and --json prints the summary.',
  );
}

/** A missing host or address means loopback. Throws `UserError` for an invalid address. */
function controlAddressOf(given: Given): Address | undefined {
  if (given === undefined) return undefined;
  const { text } = given;
  const address = parseAddress(parsePort(text) === undefined ? text || ':0' : `:${text}`);
  if (address !== undefined) return address;
  throw unexpected(given, 'an address such as 127.0.0.1:9500, :9500 or none; write it as --control=:9500');
}

type Given = { readonly source: string; readonly text: string } | undefined;

/** A flag takes precedence over its variable. `source` names the one that was used. */
function givenValue<Flag extends keyof RunFlags & string>(
  flag: Flag,
  flags: Readonly<Record<Flag, string | undefined>>,
  environment: Variables,
): Given {
  const text = onlyOne(flag, flags[flag]);
  if (text !== undefined) return { source: `--${flag}`, text };
  const { name, value } = variableOf(flag, environment);
  return value === undefined ? undefined : { source: name, text: value };
}

function workersOf(given: Given): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(given.text)) return Number(given.text);
  throw unexpected(given, 'a whole number of threads from 1 to 9999');
}

function giveUpOf(given: Given): number | undefined {
  if (given === undefined) return undefined;
  const milliseconds = parseDuration(given.text) ?? 0;
  if (milliseconds > 0) return milliseconds;
  throw unexpected(given, 'a duration such as 30s; without it, agents try until the end');
}

function shardOf(given: Given, environment: Variables): Shard {
  if (given === undefined) return WHOLE_FLEET;
  const [, part = '', of = ''] = /^(index|[1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(given.text) ?? [];
  const count = Number(of);
  const index = part === 'index' ? jobIndex(given, count, environment) : Number(part) - 1;
  if (index >= 0 && index < count) return { index, count };
  throw unexpected(given, 'a part of the fleet such as 2/3, the second of three, or index/3');
}

/** Index of a pod in an Indexed Job, from 0. Throws `UserError` if it is out of range. */
function jobIndex(
  { source, text }: NonNullable<Given>,
  count: number,
  { JOB_COMPLETION_INDEX: found }: Variables,
): number {
  const index = /^\d{1,4}$/.test(found ?? '') ? Number(found) : count;
  if (index < count) return index;
  throw new UserError(
    `${source}: with ${text}, expected an index from 0 to ${count - 1} in JOB_COMPLETION_INDEX, as in the pods of an Indexed Job ` +
      `with ${count} completions, found ${found === undefined ? 'it unset' : quoted(found)}`,
  );
}

function startOf(given: Given): Date | undefined {
  if (given === undefined) return undefined;
  if (z.iso.datetime({ offset: true }).safeParse(given.text).success) return new Date(given.text);
  throw unexpected(given, 'a time with a time zone, such as 2026-01-31T12:00:00Z');
}

function unexpected({ source, text }: NonNullable<Given>, expected: string): UserError {
  return new UserError(`${source}: expected ${expected}, found ${JSON.stringify(text)}`);
}
