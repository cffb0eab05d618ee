import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import cliCursor from 'cli-cursor';
import { createLogUpdate } from 'log-update';
import stringWidth from 'string-width';
import { USUAL_COLUMNS } from '../../report/layout.ts';
import type { TextSink } from '../io.ts';

/** Lines at the foot of a terminal that are drawn again in their place. */
export type Pane = {
  redraw(): void;
  /** Words that stay, above the pane. */
  print(text: string): void;
  /** Leaves the terminal as if nothing had been drawn. */
  close(): void;
};

type Room = { readonly columns: number; readonly rows: number };

type Drawing = { readonly lines: readonly string[]; readonly room: Room };

const USUAL_ROWS = 24;

/**
 * Draws at once, and again whenever the terminal has another size.
 * @param linesFor what to show: at most that many lines, none wider.
 */
export function createPane(terminal: TextSink, linesFor: (room: Room) => readonly string[]): Pane {
  const stream = writableTo(terminal);
  // Its own notions of the room are not asked for: the lines fit, and a new width is dealt with here.
  const update = createLogUpdate(stream, { showCursor: true, defaultWidth: 1000, defaultHeight: 1000 });
  let drawn: Drawing = { lines: [], room: roomOf(terminal) };
  const erase = (room: Room) => {
    if (drawn.room.columns === room.columns) update.clear();
    else {
      moveCursor(stream, 0, -drawn.lines.reduce((rows, line) => rows + rowsOf(line, room), 0));
      cursorTo(stream, 0);
      clearScreenDown(stream);
      update.done();
    }
  };
  const redraw = () => {
    const room = roomOf(terminal);
    if (room.columns !== drawn.room.columns || room.rows !== drawn.room.rows) erase(room);
    const lines = linesFor(room);
    update(lines.join('\n'));
    drawn = { lines, room };
  };
  terminal.on?.('resize', redraw);
  cliCursor.hide(stream);
  redraw();
  return {
    redraw,
    print: (text) => {
      erase(roomOf(terminal));
      terminal.write(`${text}\n`);
      redraw();
    },
    close: () => {
      terminal.off?.('resize', redraw);
      erase(roomOf(terminal));
      cliCursor.show(stream);
    },
  };
}

/**
 * The last column stays free, as terminals differ in what follows it; the last row is the cursor's. A terminal that does
 * not know its size says 0.
 */
function roomOf({ columns, rows }: TextSink): Room {
  return { columns: (columns || USUAL_COLUMNS) - 1, rows: (rows || USUAL_ROWS) - 1 };
}

/** How many rows a line takes that was drawn when the terminal was wider, and that the terminal has broken since. */
function rowsOf(line: string, { columns }: Room): number {
  return Math.max(1, Math.ceil(stringWidth(line) / (columns + 1)));
}

/** The libraries ask for a stream. */
function writableTo(terminal: TextSink): Writable & { isTTY: true } {
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      terminal.write(text);
      done();
    },
  });
  return Object.assign(stream, { isTTY: true as const });
}
