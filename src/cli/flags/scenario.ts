import type { InferredOptionTypes, Options } from 'yargs';
import { UserError } from '../../kernel/errors.ts';
import type { ScenarioContext } from '../../scenario/reading/parse.ts';
import { type Change, type Setting, settingOfExpression } from '../../scenario/reading/setting.ts';
import type { Environment } from '../../scenario/reading/variables.ts';
import type { Io } from '../io.ts';
import { environmentIn } from './environment-file.ts';

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

type DirectFlag = 'target' | 'api-key' | 'agents' | 'seed' | 'duration';

const DIRECT: Readonly<Record<DirectFlag, (text: string) => Change>> = {
  target: (text) => ({ kind: 'assign', path: ['target', 'url'], text }),
  'api-key': (text) => ({ kind: 'assign', path: ['target', 'apiKey'], text }),
  agents: (text) => ({ kind: 'assign', path: ['fleet', 'agents'], text }),
  seed: (text) => ({ kind: 'assign', path: ['fleet', 'seed'], text }),
  duration: (text) => ({ kind: 'stretch', text }),
};

const DIRECT_FLAGS: readonly DirectFlag[] = ['target', 'api-key', 'agents', 'seed', 'duration'];

/** What scenarios are read with: the environment, with the environment file below it, and the flags over the file. */
export async function scenarioContext(flags: ScenarioFlags, io: Io): Promise<ScenarioContext> {
  const file = onlyOne('env-file', flags['env-file']);
  const fromFile = file === undefined ? {} : await environmentIn(file, io);
  const environment = { ...fromFile, ...io.env };
  return { environment, settings: [...fromEnvironment(environment), ...fromFlags(flags)] };
}

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

function fromEnvironment(environment: Environment): readonly Setting[] {
  return DIRECT_FLAGS.flatMap((flag) => {
    const { name, value } = variableOf(flag, environment);
    return value === undefined ? [] : [{ source: name, change: DIRECT[flag](value) }];
  });
}

// Later settings win: a flag of its own over `--set`, as it is the plainer word.
function fromFlags(flags: ScenarioFlags): readonly Setting[] {
  const direct = DIRECT_FLAGS.flatMap((flag): readonly Setting[] => {
    const value = onlyOne(flag, flags[flag]);
    return value === undefined ? [] : [{ source: `--${flag}`, change: DIRECT[flag](value) }];
  });
  const allowed = (flags.allow ?? []).map(
    (host): Setting => ({ source: '--allow', change: { kind: 'append', path: ['target', 'allow'], text: host } }),
  );
  return [...(flags.set ?? []).map(settingOfExpression), ...direct, ...allowed, ...insecure(flags.insecure)];
}

function insecure(given: boolean | undefined): readonly Setting[] {
  if (given !== true) return [];
  return [{ source: '--insecure', change: { kind: 'assign', path: ['target', 'tls', 'verify'], text: 'false' } }];
}
