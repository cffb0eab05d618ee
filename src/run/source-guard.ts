import { UserError } from '../kernel/errors.ts';
import type { Shard } from '../load/shard.ts';
import { fleetSizeOf } from '../scenario/planning/fleet-size.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { sourceAddressesOf } from '../scenario/source-addresses.ts';
import { trySource } from '../transport/reachability.ts';

/**
 * Refuses source addresses that connections cannot leave from, before anything is sent: each would be thousands of dials that
 * fail. Addresses beyond the connections are not used, and not asked for. Throws `UserError`.
 *
 * @param targets what the target's host resolves to; none if it does not.
 */
export async function assertSourcesUsable(scenario: Scenario, shard: Shard, targets: readonly string[]): Promise<void> {
  const { connections } = fleetSizeOf(scenario, shard);
  for (const source of sourceAddressesOf(scenario.fleet.sourceAddresses).slice(0, connections)) {
    const problem = await trySource(source, targets);
    if (problem === 'not_here')
      throw new UserError(
        `fleet.sourceAddresses: expected addresses of this machine, found ${source}, which it does not have: ` +
          `add it with ip address add ${source} dev INTERFACE, or leave it out.`,
      );
    if (problem === 'no_way')
      throw new UserError(
        `fleet.sourceAddresses: expected addresses from which the target is reached, found ${source}, from which no way leads to ` +
          `${targets.join(', ')}: list addresses of the network that leads there.`,
      );
  }
}
