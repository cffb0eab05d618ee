import { expect, it } from 'vitest';
import { showLoading } from '../../../src/cli/output/loading.ts';
import { createTerminal } from './terminal.ts';

const textsOf = async ({ lines }: ReturnType<typeof createTerminal>) => (await lines()).map(({ text }) => text);

it.each(['stdout', 'stderr'] as const)(
  'the loading line makes way for the first text on %s, and for nothing later',
  async (first) => {
    const terminal = createTerminal(80, 24);
    const stdout = { write: terminal.sink.write };
    const stderr = { ...terminal.sink };
    const remove = showLoading('muster run: loading', stderr, stdout);
    expect(await textsOf(terminal)).toEqual(['  muster run: loading']);
    ({ stdout, stderr })[first].write('starting\n');
    stdout.write('half a');
    stderr.write(' line');
    remove();
    expect(await textsOf(terminal)).toEqual(['starting', 'half a line']);
  },
);
