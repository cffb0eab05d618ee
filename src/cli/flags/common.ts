import type { InferredOptionTypes, Options } from 'yargs';
import { UserError } from '../../kernel/errors.ts';
import type { Variables } from '../../scenario/reading/variables.ts';

const text = { type: 'string', requiresArg: true, group: 'Scenario:' } as const;
const list = { ...text, array: true } as const;

/** Flags of every command that reads scenarios. Those with an environment variable of their own say so. */
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
  allow: { ...list, describe: 'Host beyond loopback that may be put under load; repeatable' },
  'allow-listen': { ...list, describe: 'Address beyond loopback where agents may listen; repeatable' },
  set: { ...list, alias: 's', describe: 'Set any value of the scenario, path=value; repeatable' },
  'env-file': { ...text, describe: 'File with NAME=value lines; environment variables take precedence' },
} as const satisfies Record<string, Options>;

export type ScenarioFlags = InferredOptionTypes<typeof SCENARIO_FLAGS>;

/** What build servers are given. */
export const REPORT_FLAGS = {
  junit: { type: 'string', requiresArg: true, describe: 'Write thresholds and validity as JUnit XML to this file' },
} as const;

export type ReportFlags = { readonly junit: string | undefined };

/** The value of a flag that makes sense once only. Throws `UserError` if it was given more often. */
export function onlyOne<Value extends string | undefined>(flag: string, value: Value): Value {
  if (Array.isArray(value)) throw new UserError(`--${flag} was given ${value.length} times; give it once.`);
  return value;
}

/** An agent of a fleet of this size, by its index. Throws `UserError` if the fleet has no such agent. */
export function agentIndex(text: string, agents: number): number {
  const index = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (index < agents) return index;
  throw new UserError(`--agent: expected an index from 0 to ${agents - 1}, the agents of this fleet, found ${text}.`);
}

/** The environment variable behind a flag; undefined where it is unset or empty. */
export function variableOf(flag: string, environment: Variables): { name: string; value: string | undefined } {
  const name = `MUSTER_${flag.replaceAll('-', '_').toUpperCase()}`;
  return { name, value: environment[name] || undefined };
}

/** The share, 0 to 1, of a percentage such as `5%`. Throws a `UserError` for anything else. */
export function percentageOf(flag: string, given: string): number {
  const text = onlyOne(flag, given);
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined) return Number(percent) / 100;
  throw new UserError(`--${flag}: expected a percentage such as 5%, found ${JSON.stringify(text)}`);
}
