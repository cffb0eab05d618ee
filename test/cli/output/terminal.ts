import { EventEmitter } from 'node:events';
import xterm from '@xterm/headless';
import type { TextSink } from '../../../src/cli/io.ts';

/** A terminal as programs see it, and what a person sees on it. */
export type Terminal = {
  readonly sink: TextSink & { isTTY: true };
  /** What is on it and in its scrollback, without empty lines at the end. */
  lines(): Promise<readonly Line[]>;
  resize(columns: number, rows: number): Promise<void>;
  /** Everything that was written, control characters and all. */
  written(): string;
  /** How many want to know of another size. */
  listeners(): number;
};

/** `isWrapped`: the line before was too long for the terminal and goes on here. */
export type Line = { readonly text: string; readonly isWrapped: boolean };

/** A terminal that breaks lines anew when it becomes narrower, as most do. */
export function createTerminal(columns: number, rows: number): Terminal {
  const screen = createScreen(columns, rows);
  const events = new EventEmitter();
  let written = '';
  const sink = {
    isTTY: true as const,
    columns,
    rows,
    write(text: string) {
      written += text;
      // What the driver of a terminal makes of a line break.
      screen.write(text.replaceAll('\n', '\r\n'));
    },
    on: (event: 'resize', listener: () => void) => events.on(event, listener),
    off: (event: 'resize', listener: () => void) => events.off(event, listener),
  };
  return {
    sink,
    lines: screen.lines,
    written: () => written,
    listeners: () => events.listenerCount('resize'),
    async resize(columns, rows) {
      await screen.resize(columns, rows);
      Object.assign(sink, { columns, rows });
      events.emit('resize');
    },
  };
}

export type Screen = {
  write(data: string | Uint8Array): void;
  lines(): Promise<readonly Line[]>;
  resize(columns: number, rows: number): Promise<void>;
};

/** What a terminal emulator makes of what is written to it. */
export function createScreen(columns: number, rows: number): Screen {
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const settled = () => new Promise<void>((done) => emulator.write('', done));
  return {
    write: (data) => emulator.write(data),
    async lines() {
      await settled();
      const buffer = emulator.buffer.active;
      const lines = Array.from({ length: buffer.length }, (_, row) => {
        const line = buffer.getLine(row);
        return { text: line?.translateToString(true) ?? '', isWrapped: line?.isWrapped ?? false };
      });
      return lines.slice(0, lines.findLastIndex(({ text }) => text !== '') + 1);
    },
    async resize(columns, rows) {
      await settled();
      emulator.resize(columns, rows);
    },
  };
}
