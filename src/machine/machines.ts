import type { Plain } from './document/plain.ts';
import { plain } from './document/plain.ts';
import { checksOf, countsOf } from './host-counts.ts';
import { profileChooser, profileNamer, profileNames, variantChooser } from './hosts.ts';
import { collectionBefore, USUAL_COLLECTION_INTERVAL_MS } from './inventory/releases.ts';
import type { MachineFleet } from './machine-fleet.ts';
import type { Profile } from './profile.ts';
import { profileNamed } from './profiles.ts';
import { type Document, type Shape, shapeOf } from './shapes.ts';
import { createMoments, type Moment } from './time/moment.ts';

/** The documents of a fleet, filled for one agent and instant at a time. */
export type Machines = {
  /** Fills the frame of the agent's document, which stays so until the next call. */
  readonly checkdata: (agent: number, instantMs: number, collectionMs?: number, reloadMs?: number) => Document;
  /** As a collection finds it that begins at the instant. */
  readonly packages: (agent: number, collectionMs: number) => Document;
  /** When the collection began that check data of the same arguments tells of; undefined: it tells of none. */
  readonly collection: Collection;
  /** By profile. */
  readonly builds: () => readonly Builds[];
  readonly shape: (agent: number) => Shape;
  readonly checkRunMs: (agent: number) => number;
};

type Collection = (agent: number, instantMs: number, collectionMs?: number, reloadMs?: number) => number | undefined;

/** @throws UserError if the fleet names a profile that does not exist. */
export function createMachines(fleet: MachineFleet): Machines {
  const builds = buildsOf(fleet);
  return machinesOf(fleet, () => builds);
}

/** `builds` are of a fleet that differs in nothing but intervals. */
export function machinesOf(fleet: MachineFleet, builds: () => readonly Builds[]): Machines {
  const { checkIntervalSeconds } = fleet;
  const profile = profileChooser(fleet);
  const minutes = fleet.configuration?.packages?.intervalMinutes;
  const collectionIntervalMs = minutes === undefined ? USUAL_COLLECTION_INTERVAL_MS : minutes * 60_000;
  const moments = createMoments({ incidents: [], ...fleet, collectionIntervalMs, profileOf: profileNamer(fleet) });
  const shape = (agent: number) => (builds()[profile(agent)] as Builds).of(agent);
  const filled = (document: Document, moment: Moment) => {
    document.fill(document.frame, moment);
    return document;
  };
  return {
    checkdata(agent, instantMs, collectionMs, reloadMs) {
      const own = shape(agent);
      return filled(own.checkdata, moments(agent, own, instantMs, collectionMs, reloadMs));
    },
    packages(agent, collectionMs) {
      const own = shape(agent);
      return filled(own.packages, moments(agent, own, collectionMs + own.runMs(checkIntervalSeconds), collectionMs));
    },
    collection: (agent, instantMs, collectionMs, reloadMs) =>
      collectionBefore(moments(agent, shape(agent), instantMs, collectionMs, reloadMs)),
    builds,
    shape,
    checkRunMs: (agent) => shape(agent).runMs(checkIntervalSeconds),
  };
}

export type Builds = {
  readonly of: (agent: number) => Shape;
  readonly variant: (variant: number) => Shape;
};

/** By profile; `plain` are those of the fleet without a configuration, for what is the same. */
export function buildsOf(fleet: MachineFleet, plain?: readonly Builds[]): readonly Builds[] {
  return profileNames(fleet).map((name, place) => buildsOfProfile(profileNamed(name), fleet, plain?.[place]));
}

/** The shapes of a profile, each made when a host of that variant is first asked for. */
function buildsOfProfile(profile: Profile, fleet: MachineFleet, plain?: Builds): Builds {
  const { seed, configuration, incidents = [] } = fleet;
  const shapes: (Shape | undefined)[] = [];
  const choose = variantChooser(seed, profile.variantWeights);
  const counts = countsOf(profile, fleet.payload);
  const checks = checksOf(fleet);
  const build = (variant: number): Shape => {
    const input = { seed, variant, counts, checks, configuration, incidents };
    shapes[variant] ??= shapeOf(profile, input, plain?.variant(variant));
    return shapes[variant];
  };
  return {
    of: (agent) => build(choose(agent)),
    variant: build,
  };
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
