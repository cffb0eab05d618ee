import { isAbsolute, relative } from 'node:path';
import type { Page } from '../../report/layout.ts';
import { COLORED, type Palette, PLAIN } from '../../report/palette.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { TextSink } from '../io.ts';

/**
 * Colors if the stream is a terminal that supports them. As in Node, `FORCE_COLOR` overrides this (`0` and `false` disable colors),
 * and otherwise any value of `NO_COLOR` disables them (https://no-color.org).
 */
export function paletteFor(sink: TextSink, { FORCE_COLOR, NO_COLOR, TERM }: Variables): Palette {
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  const isWanted = FORCE_COLOR === undefined ? !NO_COLOR && canMoveCursor(sink, { TERM }) : isForced;
  return isWanted ? COLORED : PLAIN;
}

/** Colors and width for text on a stream. */
export function pageFor(sink: TextSink, environment: Variables): Page {
  return { ...paletteFor(sink, environment), columns: sink.columns };
}

/** Whether lines can be redrawn in place; a dumb terminal supports neither this nor colors. */
export function canMoveCursor(sink: TextSink, { TERM }: Variables): boolean {
  return sink.isTTY === true && TERM !== 'dumb';
}

/** A path for display: relative if it is below the current folder, otherwise unchanged. */
export function displayPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below === '' || below.startsWith('..') || isAbsolute(below) ? path : below;
}
