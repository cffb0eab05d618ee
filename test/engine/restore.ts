import type { Engine } from '../../src/engine/engine.ts';
import { noPasswords, passwordsIn } from '../../src/wire/agent/passwords.ts';

const MAX_AGENTS = 10_000;

/** Gives these agents, and no others, a password from before the run. */
export function restore(engine: Engine, agents: readonly number[], password = 'p'): void {
  const packed = noPasswords(MAX_AGENTS);
  const passwords = passwordsIn(packed);
  for (const agent of agents) passwords.set(agent, password);
  engine.restore(packed);
}
