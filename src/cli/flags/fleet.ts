import { join, resolve } from 'node:path';
import { identitiesIn } from '../../ground/storage/control-file.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type CommandContext, variableOf } from './common.ts';

/** Absolute path of a kept fleet's identity file; all other persistent data is next to it. */
export function fleetIdentities(
  { data }: { readonly data: string | undefined },
  { name, fleet: { identities } }: Pick<Scenario, 'name' | 'fleet'>,
  { environment, cwd }: CommandContext,
): string {
  const folder = data ?? variableOf('data', environment).value;
  if (folder !== undefined) return join(resolve(cwd, folder), 'identities.db');
  return identities.kind === 'file' ? identities.path : identitiesIn(cwd, name);
}
