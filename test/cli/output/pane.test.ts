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
    { numRuns: draws(25) },
  );
});
