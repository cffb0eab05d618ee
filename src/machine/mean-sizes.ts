import type { MachineFleet } from './machine-fleet.ts';
import { compilePayloads } from './payloads.ts';
import type { AverageBytes } from './profile.ts';
import { averageBytesOf } from './profiles.ts';

// Any instant of an ordinary day will do.
const INSTANT_MS = Date.UTC(2026, 0, 15, 12);
const SAMPLED_HOSTS = 4;

/**
 * Mean sizes of the documents of a fleet by the weights of its profiles, for plans. A fleet whose hosts differ from
 * those that profiles have sizes for is sampled.
 * @throws UserError if the fleet names a profile that does not exist.
 */
export function meanSizes(fleet: MachineFleet): AverageBytes {
  const weighted = Object.entries(fleet.profiles).filter(([, weight]) => weight > 0);
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  let checkdata = 0;
  let packages = 0;
  for (const [name, weight] of weighted) {
    const mean = meanSizesOf(name, fleet);
    checkdata += (mean.checkdata * weight) / total;
    packages += (mean.packages * weight) / total;
  }
  return { checkdata, packages };
}

function meanSizesOf(name: string, fleet: MachineFleet): AverageBytes {
  const { payload, checks = {} } = fleet;
  const isUsual = typeof payload === 'string' && Object.keys(checks).length === 0;
  return isUsual ? averageBytesOf(name, payload) : sampledSizes(name, fleet);
}

function sampledSizes(name: string, fleet: MachineFleet): AverageBytes {
  const writer = compilePayloads({ ...fleet, profiles: { [name]: 1 } });
  let checkdata = 0;
  let packages = 0;
  for (let agent = 0; agent < SAMPLED_HOSTS; agent++) {
    const rooms = [writer.checkdataRoomBytes(agent), writer.packagesRoomBytes(agent)];
    const out = Buffer.allocUnsafe(Math.max(...rooms));
    checkdata += writer.writeCheckdata(out, 0, agent, INSTANT_MS) / SAMPLED_HOSTS;
    packages += writer.writePackages(out, 0, agent, INSTANT_MS) / SAMPLED_HOSTS;
  }
  return { checkdata, packages };
}
