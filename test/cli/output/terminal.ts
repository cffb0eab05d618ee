import { EventEmitter } from 'node:events';
import xterm from '@xterm/headless';
import type { TextSink } from '../../../src/cli/io.ts';

/** A terminal as programs see it, and its visible content. */
export type Terminal = {
  readonly sink: TextSink & { isTTY: true };
  /** The lines on the screen and in the scrollback, without empty lines at the end. */
  lines(): Promise<readonly Line[]>;
  /** Those of `lines` that are on the screen. */
  visibleLines(): Promise<readonly Line[]>;
  resize(columns: number, rows: number): Promise<void>;
  /** Everything that was written, including control characters. */
  written(): string;
  /** Number of listeners for changes of the size. */
  listeners(): number;
};

/** `isWrapped`: this line continues the previous one, which was too long for the terminal. */
export type Line = { readonly text: string; readonly isWrapped: boolean };

/** A terminal that rewraps lines when it becomes narrower, as most do. */
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
      // The terminal driver translates line breaks in this way.
      screen.write(text.replaceAll('\n', '\r\n'));
    },
    on: (event: 'resize', listener: () => void) => events.on(event, listener),
    off: (event: 'resize', listener: () => void) => events.off(event, listener),
  };
  return {
    sink,
    lines: screen.lines,
    visibleLines: screen.visibleLines,
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
  visibleLines(): Promise<readonly Line[]>;
  resize(columns: number, rows: number): Promise<void>;
};

/** A terminal emulator's screen after what is written to it. */
export function createScreen(columns: number, rows: number): Screen {
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const settled = () => new Promise<void>((done) => emulator.write('', done));
  const lines = async () => {
    await settled();
    const buffer = emulator.buffer.active;
    const all = Array.from({ length: buffer.length }, (_, row) => {
      const line = buffer.getLine(row);
      return { text: line?.translateToString(true) ?? '', isWrapped: line?.isWrapped ?? false };
    });
    return all.slice(0, all.findLastIndex(({ text }) => text !== '') + 1);
  };
  return {
    write: (data) => emulator.write(data),
    lines,
    visibleLines: async () => (await lines()).slice(emulator.buffer.active.baseY),
    async resize(columns, rows) {
      await settled();
      emulator.resize(columns, rows);
    },
  };
}
