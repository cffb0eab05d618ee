import { createAgentFinder } from '../agent/identity.ts';
import { noPasswords, type PackedPasswords, passwordsIn } from '../agent/passwords.ts';
import { fleetIndex, type Shard, shardWithin, shareOf } from '../load/shard.ts';
import type { IssuedCredential } from './shards.ts';

type Raised = {
  readonly fleet: { readonly seed: number; readonly agents: number };
  /** The part of the fleet that is raised, and how many workers share it. */
  readonly shard: Shard;
  readonly workers: number;
};

/** The passwords of each worker's agents, by their number in its shard, out of what is known of any agents. */
export function passwordsByWorker(
  known: Iterable<IssuedCredential>,
  { fleet, shard, workers }: Raised,
): readonly PackedPasswords[] {
  const packed = Array.from({ length: workers }, (_, index) =>
    noPasswords(shareOf(shardWithin(shard, { index, count: workers }), fleet.agents)),
  );
  const stores = packed.map(passwordsIn);
  let find: ReturnType<typeof createAgentFinder> | undefined;
  for (const { uuid, password } of known) {
    // Of a new fleet, which has no passwords, nobody's uuid is needed.
    find ??= createAgentFinder(fleet.seed, shareOf(shard, fleet.agents), (number) => fleetIndex(shard, number));
    const number = find(uuid);
    if (number !== undefined) stores[number % workers]?.set(Math.floor(number / workers), password);
  }
  return packed;
}
