import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import cliCursor from 'cli-cursor';
import { createLogUpdate } from 'log-update';
import stringWidth from 'string-width';
import { USUAL_COLUMNS } from '../../report/layout.ts';
import type { TextSink } from '../io.ts';

/** Lines at the bottom of a terminal that are redrawn in place. */
export type Pane = {
  redraw(): void;
  /** Prints permanent text above the pane. */
  print(text: string): void;
  /** Erases the pane and restores the cursor. */
  close(): void;
};

type Room = { readonly columns: number; readonly rows: number };

const USUAL_ROWS = 24;

/**
 * Draws immediately, and again whenever the terminal is resized.
 * @param linesFor returns the lines to show, which must fit the given rows and columns
 */
export function createPane(terminal: TextSink, linesFor: (room: Room) => readonly string[]): Pane {
  const stream = writableTo(terminal);
  // Large defaults disable wrapping in log-update: the lines already fit, and this function handles resizing.
  const update = createLogUpdate(stream, { showCursor: true, defaultWidth: 1000, defaultHeight: 1000 });
  let drawn: { readonly lines: readonly string[]; readonly room: Room } = { lines: [], room: roomOf(terminal) };
  // Lines of earlier drawings that a smaller window pushed into the scrollback. A larger one shows them again.
  let lost: readonly string[] = [];
  const erase = (room: Room) => {
    if (isSame(drawn.room, room)) return update.clear();
    const lines = [...lost, ...drawn.lines];
    moveCursor(stream, 0, -rowsOf(lines, room));
    cursorTo(stream, 0);
    clearScreenDown(stream);
    update.done();
    lost = lines.filter((_, index) => rowsOf(lines.slice(index), room) > room.rows);
  };
  const redraw = () => {
    const room = roomOf(terminal);
    if (!isSame(drawn.room, room)) erase(room);
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
      // What is above a printed text is not erased any more.
      lost = [];
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

/** Leaves the last column free, because terminals wrap differently there, and the last row for the cursor. A terminal of unknown size reports 0. */
function roomOf({ columns, rows }: TextSink): Room {
  return { columns: (columns || USUAL_COLUMNS) - 1, rows: (rows || USUAL_ROWS) - 1 };
}

function isSame(one: Room, other: Room): boolean {
  return one.columns === other.columns && one.rows === other.rows;
}

/** The number of rows of lines that a narrower terminal may have wrapped. */
function rowsOf(lines: readonly string[], { columns }: Room): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(stringWidth(line) / (columns + 1))), 0);
}

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
