import type { Plain } from './document/plain.ts';
import { plain } from './document/plain.ts';
import { checksOf, countsOf } from './host-counts.ts';
import { profileChooser, profileNamer, profileNames, variantChooser } from './hosts.ts';
import type { MachineFleet } from './machine-fleet.ts';
import type { Profile } from './profile.ts';
import { profileNamed } from './profiles.ts';
import { type Document, type Shape, shapeOf } from './shapes.ts';
import { createMoments, type Moment } from './time/moment.ts';

/** The documents of a fleet, filled for one agent and instant at a time. */
export type Machines = {
  /** Fills the frame of the agent's document, which stays so until the next call. */
  readonly checkdata: (agent: number, instantMs: number, collectionMs?: number) => Document;
  /** As a collection finds it that begins at the instant. */
  readonly packages: (agent: number, collectionMs: number) => Document;
  /** Every shape that a host of the fleet can have. */
  readonly shapes: () => readonly Shape[];
  readonly checkRunMs: (agent: number) => number;
};

/** @throws UserError if the fleet names a profile that does not exist. */
export function createMachines(fleet: MachineFleet): Machines {
  const builds = profileNames(fleet).map((name) => buildsOf(profileNamed(name), fleet));
  const profile = profileChooser(fleet);
  const moments = createMoments({ incidents: [], ...fleet, profileOf: profileNamer(fleet) });
  const shape = (agent: number) => (builds[profile(agent)] as Builds).of(agent);
  const filled = (document: Document, moment: Moment) => {
    document.fill(document.frame, moment);
    return document;
  };
  return {
    checkdata(agent, instantMs, collectionMs) {
      const own = shape(agent);
      return filled(own.checkdata, moments(agent, own, instantMs, collectionMs));
    },
    packages(agent, collectionMs) {
      const own = shape(agent);
      return filled(own.packages, moments(agent, own, collectionMs + own.runMs, collectionMs));
    },
    shapes: () => builds.flatMap(({ all }) => all()),
    checkRunMs: (agent) => shape(agent).runMs,
  };
}

type Builds = { readonly of: (agent: number) => Shape; readonly all: () => readonly Shape[] };

/** The shapes of a profile, each made when a host of that variant is first asked for. */
function buildsOf(profile: Profile, fleet: MachineFleet): Builds {
  const { seed, checkIntervalSeconds, incidents = [] } = fleet;
  const shapes: (Shape | undefined)[] = [];
  const choose = variantChooser(seed, profile.variantWeights);
  const counts = countsOf(profile, fleet.payload);
  const checks = checksOf(fleet);
  const build = (variant: number): Shape => {
    shapes[variant] ??= shapeOf(profile, { seed, variant, counts, checkIntervalSeconds, checks, incidents });
    return shapes[variant];
  };
  return { of: (agent) => build(choose(agent)), all: () => profile.variantWeights.map((_, variant) => build(variant)) };
}

/** The check data of an agent as a plain object. */
export function checkdataOf(fleet: MachineFleet, agent: number, instantMs: number): Plain {
  const { node, frame } = createMachines(fleet).checkdata(agent, instantMs);
  return plain(node, frame);
}

/** The package document of an agent as a plain object, as a collection finds it that begins at the instant. */
export function packagesOf(fleet: MachineFleet, agent: number, collectionMs: number): Plain {
  const { node, frame } = createMachines(fleet).packages(agent, collectionMs);
  return plain(node, frame);
}
