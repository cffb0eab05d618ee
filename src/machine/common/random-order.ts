import type { Frame } from '../document/nodes.ts';
import { unit } from '../time/noise.ts';

type Places = { readonly first: number; readonly count: number; readonly stride: number };
type Chance = { readonly key: number; readonly checkMs: number };

/** The agent lists what it has in maps in another order each time: puts 0 to `count` - 1 into cells so far apart. */
export function fillOrder(frame: Frame, { first, count, stride }: Places, { key, checkMs }: Chance): void {
  const run = Math.floor(checkMs / 1000) | 0;
  for (let i = 0; i < count; i++) frame[first + i * stride] = i;
  for (let i = count - 1; i > 0; i--) {
    const other = first + stride * Math.floor(unit(key + i, run) * (i + 1));
    const here = frame[first + i * stride] as number;
    frame[first + i * stride] = frame[other] as number;
    frame[other] = here;
  }
}
