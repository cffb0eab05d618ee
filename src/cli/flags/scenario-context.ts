import type { ScenarioContext } from '../../scenario/reading/parse.ts';
import { type Change, type Setting, settingOfExpression } from '../../scenario/reading/setting.ts';
import type { Environment } from '../../scenario/reading/variables.ts';
import type { Io } from '../io.ts';
import { environmentIn } from './environment-file.ts';
import { onlyOne, type ScenarioFlags, variableOf } from './scenario.ts';

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
