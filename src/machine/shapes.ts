import { type Cells, createCells } from './document/cells.ts';
import type { Node } from './document/nodes.ts';
import { compile, type Program } from './document/program.ts';
import { withErrors } from './incidents/check-errors.ts';
import { type OptionalChecks, roomForChecks } from './optional-checks.ts';
import type { Fill } from './part.ts';
import type { Counts, Profile, VariantInput } from './profile.ts';
import type { Rhythm } from './time/activity.ts';

/** Everything shared by the hosts of one profile, variant and size. */
export type Shape = {
  readonly rhythm: Rhythm;
  readonly runMs: number;
  readonly checkdata: Document;
  readonly packages: Document;
};

/** A document of a shape, with the one frame that all its hosts are filled into in turn. */
export type Document = {
  readonly node: Node;
  readonly fill: Fill;
  readonly frame: Float64Array;
  /** Compiled at its first use: inspecting one host does not need it, nor does a fleet without package pushes. */
  readonly program: () => Program;
};

export function shapeOf(profile: Profile, input: VariantInput): Shape {
  const variant = profile.variant(input);
  const checkdata = once(() => describe((cells) => withErrors(variant.checkdata(cells), input.incidents, cells)));
  const packages = once(() => describe(variant.packages));
  return {
    rhythm: variant.rhythm,
    runMs: profile.runMs(input.checkIntervalSeconds),
    get checkdata() {
      return checkdata();
    },
    get packages() {
      return packages();
    },
  };
}

function describe(part: (cells: Cells) => { readonly node: Node; readonly fill: Fill }): Document {
  const cells = createCells();
  const { node, fill } = part(cells);
  return { node, fill, frame: new Float64Array(cells.count()), program: once(() => compile(node)) };
}

/** Room that is enough for the documents of any variant with these counts; compilation checks it. */
export function roomFor(
  counts: Counts,
  checks: OptionalChecks = {},
): { readonly checkdataBytes: number; readonly packagesBytes: number } {
  const { processes, services, disks, interfaces, packages, cores, fixed } = counts;
  // Disks beyond what a host has otherwise bring a partition each.
  const devices = counts.devices + (fixed?.includes('disks') ? 2 * disks : 0);
  const parts = processes * 1100 + services * 350 + devices * 1900 + disks * 450 + interfaces * 1300 + cores * 1200;
  return { checkdataBytes: 20_000 + parts + roomForChecks(checks), packagesBytes: 8000 + packages * 420 };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
