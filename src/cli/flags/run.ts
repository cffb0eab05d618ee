import { resolve } from 'node:path';
import { type Address, parseAddress, parsePort } from '../../base/kernel/address.ts';
import { UserError } from '../../base/kernel/errors.ts';
import { unixMsOf } from '../../base/notation/date.ts';
import { quoted } from '../../base/notation/finding.ts';
import { isInShard, type Shard, WHOLE_FLEET } from '../../load/shard.ts';
import type { TraceScope } from '../../metrics/recording/trace.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { ControlEndpoint } from '../../staging/control-api/server.ts';
import type { RunFlags } from '../commands/runs.ts';
import { type ClusterRequest, clusterRequest } from './cluster-request.ts';
import { agentIndex, type CommandContext } from './common.ts';
import type { LoadedScenario } from './load-scenarios.ts';
import { durationAboveZero, flagOrVariable, type Given, readValue, wholeNumber } from './values.ts';

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
  /** `undefined` for no control API. */
  readonly control: ControlEndpoint | undefined;
  /** Whether stdout contains only the summaries as JSON, one document per scenario. */
  readonly json: boolean;
  /** Whether to hide progress and print a one-line verdict. */
  readonly quiet: boolean;
  /** Agents whose requests and answers are printed as they happen; `undefined` for none. */
  readonly debug: TraceScope | undefined;
};

/** The requested number of worker threads; `undefined` to choose it for this machine. */
export function workerCount(flags: Pick<RunFlags, 'workers'>, environment: Variables): number | undefined {
  const expected = 'a whole number of threads from 1 to 9999';
  return readValue(flagOrVariable('workers', flags, environment), wholeNumber(1, 9999, expected));
}

type ControlFlags = Readonly<Record<'control' | 'public-url', string | undefined>>;

/** The control API of a fleet; default: on any free loopback port. */
export function controlOfFleet(flags: ControlFlags, environment: Variables): ControlEndpoint {
  const address = controlAddressOf(flags, environment) ?? { host: '127.0.0.1', port: 0 };
  return { address, publicUrls: publicUrlsOf(flags, environment) };
}

/** Combines flags and environment. Throws `UserError` for an invalid value. */
export function runRequest(
  scenarios: readonly LoadedScenario[],
  flags: RunFlags,
  { environment, cwd }: CommandContext,
): RunRequest {
  const { json, quiet } = flags;
  const given = (flag: 'shard' | 'start-at' | 'give-up') => flagOrVariable(flag, flags, environment);
  const expected = 'an instant such as 2026-01-31T12:00:00Z';
  const startMs = readValue(given('start-at'), { expected, read: unixMsOf });
  const startAt = startMs === undefined ? undefined : new Date(startMs);
  const control = controlOf(flags, environment);
  if (startAt !== undefined) assertOne('--start-at', scenarios);
  if (control !== undefined) assertOne('--control', scenarios);
  const shard = shardOf(given('shard'), environment);
  const cluster = clusterOf(flags, { environment, shard, startAt });
  return {
    cluster,
    scenarios,
    startAt,
    json,
    quiet,
    shard,
    control,
    debug: traceScopeOf(flags, scenarios, shard),
    workers: workerCount(flags, environment),
    giveUpMs: readValue(
      given('give-up'),
      durationAboveZero('a duration such as 30s; without it, agents try until the end'),
    ),
    resultsFolder: resultsFolder(flags, { environment, cwd }),
  };
}

/** @throws UserError if there are several scenarios. */
export function assertOne(flag: string, { length }: readonly LoadedScenario[]): void {
  if (length > 1) throw new UserError(`${flag}: expected one scenario, found ${length}; run them separately.`);
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
  if (agent === undefined) return debug ? { agent: undefined } : undefined;
  if (!debug) throw new UserError('--agent selects what --debug prints: add --debug, or omit --agent.');
  const [index = 0] = scenarios.map(({ scenario }) => agentIndex(agent, scenario.fleet.agents));
  if (isInShard(shard, index)) return { agent: index };
  throw new UserError(
    `--agent: expected an agent of shard ${shard.index + 1} of ${shard.count}, found ${index}, which belongs to shard ${(index % shard.count) + 1}.`,
  );
}

/** The absolute folder for results. Throws `UserError` for an empty value, or one of the form name=value. */
export function resultsFolder(flags: Pick<RunFlags, 'out'>, { environment, cwd }: CommandContext): string {
  const { name, value: text = 'results' } = flagOrVariable('out', flags, environment);
  if (text !== '' && !/^[a-z][a-z-]*=/.test(text)) return resolve(cwd, text);
  throw new UserError(
    `${name}: expected a folder for results, such as ./results, found ${quoted(text)}; ` +
      'a run writes all its files there, and --json prints the summary.',
  );
}

function controlOf(flags: ControlFlags, environment: Variables): ControlEndpoint | undefined {
  const address = controlAddressOf(flags, environment);
  if (address !== undefined) return { address, publicUrls: publicUrlsOf(flags, environment) };
  if (flags['public-url'] === undefined) return undefined;
  throw new UserError('--public-url: expected --control with it, found none; add it, or omit --public-url.');
}

/** A missing host or address means loopback. Throws `UserError` for an invalid address. */
function controlAddressOf(flags: ControlFlags, environment: Variables): Address | undefined {
  const read = (text: string) => parseAddress(parsePort(text) === undefined ? text || ':0' : `:${text}`);
  const expected = 'an address such as 127.0.0.1:9500, :9500 or none; write it as --control=:9500';
  return readValue(flagOrVariable('control', flags, environment), { expected, read });
}

function publicUrlsOf(flags: ControlFlags, environment: Variables): readonly URL[] {
  const expected = 'URLs without a path such as https://muster.example, with commas between them';
  return readValue(flagOrVariable('public-url', flags, environment), { expected, read: originsIn }) ?? [];
}

function originsIn(text: string): readonly URL[] | undefined {
  const urls = text.split(',').map((part) => URL.parse(part.trim()));
  const areOrigins = urls.every(
    (url) => url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`,
  );
  return areOrigins ? urls.filter((url) => url !== null) : undefined;
}

function shardOf(given: Given, environment: Variables): Shard {
  const read = (text: string): Shard | undefined => {
    const [, part = '', of = ''] = /^(index|[1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? [];
    const count = Number(of);
    const index = part === 'index' ? jobIndex(given, count, environment) : Number(part) - 1;
    return index >= 0 && index < count ? { index, count } : undefined;
  };
  const expected = 'a part of the fleet such as 2/3, the second of three, or index/3';
  return readValue(given, { expected, read }) ?? WHOLE_FLEET;
}

/** Index of a pod in an Indexed Job, from 0. Throws `UserError` if it is out of range. */
function jobIndex({ name, value }: Given, count: number, { JOB_COMPLETION_INDEX: found }: Variables): number {
  const index = /^\d{1,4}$/.test(found ?? '') ? Number(found) : count;
  if (index < count) return index;
  throw new UserError(
    `${name}: with ${value}, expected an index from 0 to ${count - 1} in JOB_COMPLETION_INDEX, as in the pods of an Indexed Job ` +
      `with ${count} completions, found ${found === undefined ? 'it unset' : quoted(found)}`,
  );
}
