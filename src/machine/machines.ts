import type { Plain } from './document/plain.ts';
import { plain } from './document/plain.ts';
import { momentOf } from './evolution/moment.ts';
import { profileOf, variantOf } from './hosts.ts';
import type { MachineFleet } from './payloads.ts';
import { profileNamed } from './profiles.ts';
import { type Document, type Shape, shapeOf } from './shapes.ts';

/** The documents of a fleet, filled for one agent and instant at a time. */
export type Machines = {
  /** Fills the frame of the agent's document, which stays so until the next call. */
  readonly checkdata: (agent: number, instantMs: number) => Document;
  readonly packages: (agent: number, instantMs: number) => Document;
};

/** @throws UserError if the fleet names a profile that does not exist. */
export function createMachines(fleet: MachineFleet): Machines {
  const { seed, checkIntervalSeconds, checks = {} } = fleet;
  const shapes = new Map<string, (Shape | undefined)[]>();
  for (const name of Object.keys(fleet.profiles)) shapes.set(profileNamed(name).name, []);
  const shape = (agent: number): Shape => {
    const name = profileOf(fleet, agent);
    const profile = profileNamed(name);
    const variant = variantOf(seed, profile, agent);
    const variants = shapes.get(name) ?? [];
    const counts = profile.sizes[fleet.payload];
    variants[variant] ??= shapeOf(profile, { seed, variant, counts, checkIntervalSeconds, checks });
    return variants[variant];
  };
  const filled = (document: Document, { rhythm, runMs }: Shape, at: { agent: number; instantMs: number }) => {
    const moment = momentOf({ seed, agent: at.agent, checkIntervalSeconds, rhythm, runMs }, at.instantMs);
    document.fill(document.frame, moment);
    return document;
  };
  return {
    checkdata(agent, instantMs) {
      const own = shape(agent);
      return filled(own.checkdata, own, { agent, instantMs });
    },
    packages(agent, instantMs) {
      const own = shape(agent);
      return filled(own.packages, own, { agent, instantMs });
    },
  };
}

/** The check data of an agent as a plain object. */
export function checkdataOf(fleet: MachineFleet, agent: number, instantMs: number): Plain {
  const { node, frame } = createMachines(fleet).checkdata(agent, instantMs);
  return plain(node, frame);
}

/** The package document of an agent as a plain object. */
export function packagesOf(fleet: MachineFleet, agent: number, instantMs: number): Plain {
  const { node, frame } = createMachines(fleet).packages(agent, instantMs);
  return plain(node, frame);
}
