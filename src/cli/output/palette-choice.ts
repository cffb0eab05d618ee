import { COLOURED, type Palette, PLAIN } from '../../report/palette.ts';
import type { Io } from '../io.ts';

/** Colours for a terminal, unless `NO_COLOR` is set to anything (https://no-color.org). */
export function paletteFor({ stderr, env }: Io): Palette {
  return stderr.isTTY === true && !env.NO_COLOR ? COLOURED : PLAIN;
}
