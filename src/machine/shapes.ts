import { once } from '../kernel/memoize.ts';
import { configured, tellsNoUpdates } from './configured.ts';
import { type Cells, createCells } from './document/cells.ts';
import type { Node } from './document/nodes.ts';
import { compile, type Program } from './document/program.ts';
import type { HostConfiguration } from './host-configuration.ts';
import { withErrors } from './incidents/check-errors.ts';
import { documentWithoutUpdates } from './inventory/without-updates.ts';
import type { Fill } from './part.ts';
import type { Profile, Variant, VariantInput } from './profile.ts';
import type { Rhythm } from './time/activity.ts';
import type { RunLength } from './time/run-length.ts';

/** Everything shared by the hosts of one profile, variant and size. */
export type Shape = {
  readonly rhythm: Rhythm;
  readonly runMs: RunLength;
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

/** `plain` is the same shape without a configuration, whose package document it shares if it can. */
export function shapeOf(profile: Profile, input: VariantInput, plain?: Shape): Shape {
  const variant = profile.variant(input);
  const checkdata = once(() =>
    describe((cells) => {
      const told = configured(variant.checkdata(cells), input.configuration, cells);
      return withErrors(told, input.incidents, cells);
    }),
  );
  const packages = packagesOf(variant, input.configuration, plain);
  return {
    rhythm: variant.rhythm,
    runMs: profile.runMs,
    get checkdata() {
      return checkdata();
    },
    get packages() {
      return packages();
    },
  };
}

function packagesOf(variant: Variant, configuration: HostConfiguration | undefined, plain: Shape | undefined) {
  if (!tellsNoUpdates(configuration))
    return plain === undefined ? once(() => describe(variant.packages)) : () => plain.packages;
  return once(() =>
    describe((cells) => {
      const { node, fill } = variant.packages(cells);
      return { node: documentWithoutUpdates(node), fill };
    }),
  );
}

function describe(part: (cells: Cells) => { readonly node: Node; readonly fill: Fill }): Document {
  const cells = createCells();
  const { node, fill } = part(cells);
  return {
    node,
    fill,
    frame: new Float64Array(cells.count()),
    program: once(() => compile(node)),
  };
}
