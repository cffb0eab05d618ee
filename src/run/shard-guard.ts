import { UserError } from '../kernel/errors.ts';
import type { Shard } from '../load/shard.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** Refuses a shard without agents, or whose target the others cannot reach, before anything is sent. Throws `UserError`. */
export function assertRaisable({ target, fleet }: Pick<Scenario, 'target' | 'fleet'>, { index, count }: Shard): void {
  const name = `Shard ${index + 1} of ${count}`;
  if (count > fleet.agents) {
    throw new UserError(
      `${name}: the fleet has ${fleet.agents} agents, too few for ${count} shards; name fewer shards.`,
    );
  }
  if (count === 1 || target.url !== 'embedded') return;
  throw new UserError(
    `${name}: the shards of a fleet need one target, and the embedded server belongs to one process; ` +
      'start a server with muster serve, and name it with --target.',
  );
}
