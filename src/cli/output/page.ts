import { isAbsolute, relative } from 'node:path';
import { COLORED, type Page, type Palette, PLAIN } from '../../report/layout.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { TextSink } from '../io.ts';

/**
 * Colors for a terminal that has them. `FORCE_COLOR` decides alone where it is set, as in Node: `0` and `false` mean
 * none; then `NO_COLOR`, set to anything (https://no-color.org).
 */
export function paletteFor(sink: TextSink, { FORCE_COLOR, NO_COLOR, TERM }: Variables): Palette {
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  const isWanted = FORCE_COLOR === undefined ? !NO_COLOR && canMoveCursor(sink, { TERM }) : isForced;
  return isWanted ? COLORED : PLAIN;
}

/** What a text for a stream is laid out for: its colors and its width. */
export function pageFor(sink: TextSink, environment: Variables): Page {
  return { ...paletteFor(sink, environment), columns: sink.columns };
}

/** Whether a line can be drawn again in its place; a dumb terminal knows neither that nor colors. */
export function canMoveCursor(sink: TextSink, { TERM }: Variables): boolean {
  return sink.isTTY === true && TERM !== 'dumb';
}

/** A path as a person in this folder would type it: relative if it lies below, else as it is. */
export function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below === '' || below.startsWith('..') || isAbsolute(below) ? path : below;
}
