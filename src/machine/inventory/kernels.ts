import type { InventoryPackage, Kept } from './inventory.ts';
import { patternOf } from './pattern.ts';
import type { Monthly } from './releases.ts';

/** A kernel package; `{r}` in its texts is the kernel's revision. */
export type Kernel = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Which of its revisions are installed beside one another; the newest alone if absent. */
  readonly kept?: Kept | readonly Kept[];
};

const NEWEST: Kept = { behind: 0, running: false };

/** Names carry the revision, so that a new kernel is another package: the newest stays, and the one before it. */
export const KEPT_TWO: readonly Kept[] = [{ behind: 1, running: true }, NEWEST];

/** Three are kept under one name, of which the newest is the one that updates are told for. */
export const KEPT_THREE: readonly Pick<Kernel, 'kept'>[] = [
  { kept: { behind: 2, running: true } },
  { kept: { behind: 1, running: false } },
  {},
];

export function kernelPackages(
  kernels: readonly Kernel[],
  releases: Monthly,
): readonly Omit<InventoryPackage, 'reasons'>[] {
  return kernels.flatMap(({ name, version, description, kept }) => {
    const one = { name: patternOf(name), version: patternOf(version), description, releases };
    return kept === undefined ? [one] : [kept].flat().map((which) => ({ ...one, kept: which }));
  });
}
