import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPane } from '../../../src/cli/output/pane.ts';
import { draws } from '../../draws.ts';
import { createTerminal } from './terminal.ts';

const step = fc.oneof(
  fc.record({ kind: fc.constant('draw' as const), widths: fc.array(fc.nat(90), { minLength: 1, maxLength: 8 }) }),
  fc.record({ kind: fc.constant('print' as const), text: fc.constantFrom('a note', 'another') }),
  fc.record({ kind: fc.constant('resize' as const), columns: fc.integer({ min: 20, max: 100 }) }),
);

it('after any sequence of draws, prints and resizes, the last drawing is below what was printed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      // High enough for all wrapped lines, because lines that have left the screen cannot be erased.
      const terminal = createTerminal(80, 60);
      const printed: string[] = [];
      let widths = [1];
      const shown = (columns: number) => [...widths.map((width) => '-'.repeat(Math.min(width, columns))), 'end'];
      const pane = createPane(terminal.sink, ({ columns }) => shown(columns));
      for (const step of steps) {
        if (step.kind === 'resize') await terminal.resize(step.columns, 60);
        else if (step.kind === 'print') {
          pane.print(step.text);
          printed.push(step.text);
        } else {
          widths = step.widths;
          pane.redraw();
        }
      }
      const drawn = shown((terminal.sink.columns ?? 0) - 1);
      expect((await terminal.lines()).map(({ text }) => text)).toEqual([...printed, ...drawn]);
      pane.close();
      expect((await terminal.lines()).map(({ text }) => text)).toEqual(printed);
    }),
    { numRuns: draws(12) },
  );
});

it.each([
  [
    [80, 12],
    [80, 24],
  ],
  [
    [60, 16],
    [100, 30],
  ],
  [
    [40, 10],
    [30, 8],
    [80, 40],
  ],
])('the screen shows one drawing after a window became %j, then %j', async (...sizes) => {
  const terminal = createTerminal(80, 24);
  terminal.sink.write('$ muster run\n');
  const shown = (columns: number, rows: number) =>
    Array.from({ length: Math.min(17, rows - 1) }, (_, row) => `${row} `.padEnd(columns - 1, '-'));
  createPane(terminal.sink, ({ columns, rows }) => shown(columns + 1, rows + 1));
  for (const [columns = 0, rows = 0] of sizes) await terminal.resize(columns, rows);
  const [columns = 0, rows = 0] = sizes.at(-1) ?? [];
  const texts = (await terminal.visibleLines()).map(({ text }) => text);
  expect(texts.filter((text) => !text.startsWith('$'))).toEqual(shown(columns, rows));
});
