import type { InferredOptionTypes, Options } from 'yargs';
import { UserError } from '../../kernel/errors.ts';
import type { Environment } from '../../scenario/reading/variables.ts';

const text = { type: 'string', requiresArg: true, group: 'Scenario:' } as const;
const list = { ...text, array: true } as const;

/** Flags of every command that reads scenarios. Those with an environment variable of their own say so. */
export const SCENARIO_FLAGS = {
  target: { ...text, alias: 't', describe: 'Server under test: embedded or a base URL [MUSTER_TARGET]' },
  'api-key': { ...text, describe: 'API key of the server [MUSTER_API_KEY]' },
  agents: { ...text, alias: 'a', describe: 'Number of agents [MUSTER_AGENTS]' },
  duration: {
    ...text,
    alias: 'd',
    describe: 'Duration of the longest phase that states one; the other phases keep theirs [MUSTER_DURATION]',
  },
  seed: { ...text, describe: 'Seed of the fleet [MUSTER_SEED]' },
  insecure: { type: 'boolean', alias: 'k', group: 'Scenario:', describe: "Accept any certificate of the server's" },
  allow: { ...list, describe: 'A host other than loopback that may be loaded; repeatable' },
  set: { ...list, alias: 's', describe: 'Any value of the scenario, path=value; repeatable' },
  'env-file': { ...text, describe: 'NAME=value lines; the real environment wins over them' },
} as const satisfies Record<string, Options>;

export type ScenarioFlags = InferredOptionTypes<typeof SCENARIO_FLAGS>;

/** The value of a flag that makes sense once only. Throws `UserError` if it was given more often. */
export function onlyOne<Value extends string | undefined>(flag: string, value: Value): Value {
  if (Array.isArray(value)) throw new UserError(`--${flag} was given ${value.length} times; give it once.`);
  return value;
}

/** The environment variable behind a flag; undefined where it is unset or empty. */
export function variableOf(flag: string, environment: Environment): { name: string; value: string | undefined } {
  const name = `MUSTER_${flag.replaceAll('-', '_').toUpperCase()}`;
  return { name, value: environment[name] || undefined };
}
