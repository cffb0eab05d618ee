import type { InferredOptionTypes, Options } from 'yargs';
import { UserError } from '../../base/kernel/errors.ts';
import type { Variables } from '../../scenario/reading/variables.ts';

/** Where a command runs: its variables, and the folder of relative paths. */
export type CommandContext = { readonly environment: Variables; readonly cwd: string };

/** Headings of flags in the help. */
export const OUTPUT = { group: 'Output:' } as const;
export const METRICS = { group: 'Metrics and control:' } as const;
const CLUSTER = { group: 'Cluster:' } as const;
const SCENARIO = { group: 'Scenario:' } as const;
const HOST = { group: 'Host:' } as const;

export function textFlag<const More extends Options = object>(describe: string, more?: More) {
  return { type: 'string', requiresArg: true, describe, ...(more as More) } as const;
}

export function listFlag<const More extends Options = object>(describe: string, more?: More) {
  return { ...textFlag(describe, more), array: true } as const;
}

export function switchFlag<const More extends Options = object>(describe: string, more?: More) {
  return { type: 'boolean', default: false, describe, ...(more as More) } as const;
}

/** A switch of which a command must know that it was not given. */
export function optionalSwitch<const More extends Options = object>(describe: string, more?: More) {
  return { type: 'boolean', describe, ...(more as More) } as const;
}

/** An argument that is required. */
export function argument(describe: string) {
  return { type: 'string', demandOption: true, describe } as const;
}

/** Flags of every command that reads scenarios. Descriptions name the environment variable, if any, in brackets. */
export const SCENARIO_FLAGS = {
  target: listFlag(
    'Server under test: embedded or a base URL; repeat to distribute agents over several URLs [MUSTER_TARGET]',
    { ...SCENARIO, alias: 't' },
  ),
  'api-key': textFlag('API key of the server [MUSTER_API_KEY]', SCENARIO),
  agents: textFlag('Number of agents [MUSTER_AGENTS]', { ...SCENARIO, alias: 'a' }),
  duration: textFlag('Duration of the longest phase that has one; other phases keep theirs [MUSTER_DURATION]', {
    ...SCENARIO,
    alias: 'd',
  }),
  seed: textFlag('Seed of the fleet; the same seed creates the same hosts [MUSTER_SEED]', SCENARIO),
  allow: listFlag('Host beyond loopback that may be put under load; repeatable [MUSTER_ALLOW]', SCENARIO),
  'allow-listen': listFlag(
    'Address beyond loopback where agents may listen; repeatable [MUSTER_ALLOW_LISTEN]',
    SCENARIO,
  ),
  set: listFlag('Set any value of the scenario, path=value; repeatable', { ...SCENARIO, alias: 's' }),
  'env-file': textFlag('File with NAME=value lines; environment variables take precedence', SCENARIO),
} as const satisfies Record<string, Options>;

export type ScenarioFlags = InferredOptionTypes<typeof SCENARIO_FLAGS>;

export const REPORT_FLAGS = {
  junit: textFlag('Write thresholds and validity as JUnit XML to this file', OUTPUT),
} as const;

export const WORKERS_FLAG = {
  workers: textFlag('Number of worker threads; default: chosen for this machine [MUSTER_WORKERS]', { alias: 'w' }),
} as const;

export const OUT_FLAG = {
  out: textFlag('Folder for results; default: results [MUSTER_OUT]', { ...OUTPUT, alias: 'o' }),
} as const;

export const SCENARIO_FILES = { type: 'string', array: true, describe: 'Scenario files, or - for stdin' } as const;

export const SCENARIO_FILE = argument('Scenario file, or - for stdin');

export type ReportFlags = { readonly junit: string | undefined };

export const SUMMARY_FLAG = {
  json: switchFlag('Print only the JSON summary to stdout', { ...OUTPUT, alias: 'j' }),
} as const;

export const OTLP_FLAGS = {
  otlp: textFlag(
    'Send metrics by OTLP to this URL, such as http://127.0.0.1:4318; it may be any host [OTEL_EXPORTER_OTLP_ENDPOINT]',
    METRICS,
  ),
} as const satisfies Record<string, Options>;

export const FIGURE_FLAGS = {
  'metrics-address': textFlag(
    'Serve Prometheus metrics on this address, such as 127.0.0.1:9464; beyond loopback only with MUSTER_METRICS_TOKEN [MUSTER_METRICS_ADDRESS]',
    METRICS,
  ),
  ...OTLP_FLAGS,
} as const satisfies Record<string, Options>;

export type OtlpFlags = InferredOptionTypes<typeof OTLP_FLAGS>;
export type FigureFlags = InferredOptionTypes<typeof FIGURE_FLAGS>;

export const WEBHOOK_FLAGS = {
  webhook: textFlag(
    'Post the verdict, or lasting changes of the health of a fleet, as JSON to this URL; it may be any host [MUSTER_WEBHOOK]',
    METRICS,
  ),
  'webhook-format': {
    choices: ['slack', 'alertmanager'],
    default: 'slack',
    ...METRICS,
    describe: 'Form of that JSON',
  },
} as const satisfies Record<string, Options>;

export const PUBLIC_URL_FLAG = {
  'public-url': textFlag(
    'URLs of the control API behind a proxy or a service, such as https://muster.example, with commas between them [MUSTER_PUBLIC_URL]',
    METRICS,
  ),
} as const satisfies Record<string, Options>;

/** Settings of the hosts that are added to a monitoring server. */
export const HOST_FLAGS = {
  container: textFlag('ID of the container for the hosts; default: from the scenario, or 1', HOST),
  'host-template': textFlag('ID of the host template; default: from the scenario, or 1', HOST),
  'host-group': listFlag('ID of a host group for the hosts; repeatable', HOST),
  tag: listFlag('Tag of the hosts, in addition to muster; repeatable', HOST),
  satellite: textFlag('ID of their satellite; 0: the master; default: from the scenario, or 0', HOST),
} as const satisfies Record<string, Options>;

export const HOST_FLAG_NAMES = Object.keys(HOST_FLAGS) as readonly (keyof typeof HOST_FLAGS)[];

export type HostFlags = Partial<InferredOptionTypes<typeof HOST_FLAGS>> & { readonly services?: boolean | undefined };

export const MACHINES_FLAGS = {
  cluster: textFlag(
    'Run the fleet on the machines of a cluster; its NATS server, such as nats://127.0.0.1:4222 [MUSTER_CLUSTER]',
    CLUSTER,
  ),
  machines: textFlag('Number of machines that share the fleet [MUSTER_MACHINES]', CLUSTER),
  replace: switchFlag('Let a waiting machine take over the agents of a lost one', CLUSTER),
  replicas: textFlag('Replicas that NATS keeps of a run: 1, 3 or 5', { ...CLUSTER, default: '1' }),
  wait: textFlag('How long to wait for machines to join', { ...CLUSTER, default: '60s' }),
} as const satisfies Record<string, Options>;

export type MachinesFlags = InferredOptionTypes<typeof MACHINES_FLAGS>;

/** Parses the index of an agent in a fleet of this size. Throws `UserError` if it is out of range. */
export function agentIndex(text: string, agents: number): number {
  const index = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (index < agents) return index;
  throw new UserError(`--agent: expected an index from 0 to ${agents - 1}, the range of this fleet, found ${text}.`);
}
