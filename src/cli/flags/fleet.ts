import { join, resolve } from 'node:path';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { identitiesIn } from '../../storage/control-file.ts';
import { onlyOne, variableOf } from './common.ts';

/** The identity file of a fleet that is kept up, absolute: all else that outlives the process stands beside it. */
export function fleetIdentities(
  { data }: { readonly data: string | undefined },
  { name, fleet: { identities } }: Pick<Scenario, 'name' | 'fleet'>,
  { environment, cwd }: { readonly environment: Variables; readonly cwd: string },
): string {
  const folder = onlyOne('data', data) ?? variableOf('data', environment).value;
  if (folder !== undefined) return join(resolve(cwd, folder), 'identities.db');
  return identities.kind === 'file' ? identities.path : identitiesIn(cwd, name);
}
