import { describe, expect, it } from 'vitest';
import { createProgress } from '../../../src/cli/output/progress.ts';
import { ALONE } from '../../../src/run/run.ts';
import { SMALLEST, scenarioOf } from '../../scenario/read-scenario.ts';

const REQUEST = {
  ...ALONE,
  scenarios: [],
  workers: undefined,
  metricsAddress: undefined,
  resultsFolder: '/',
  json: false,
  quiet: false,
};

/** What a whole display writes on a terminal. */
function shown(env: Record<string, string>): string {
  let text = '';
  const stderr = { write: (part: string) => (text += part), isTTY: true, columns: 60 };
  const onInterrupt = () => () => undefined;
  const io = { stdin: (async function* () {})(), stdout: stderr, stderr, env, cwd: '/', onInterrupt };
  const progress = createProgress(scenarioOf(SMALLEST), REQUEST, io);
  progress.note('a note');
  progress.end();
  return text;
}

describe('progress', () => {
  it('is one line in its place on a terminal', () => {
    expect(shown({ TERM: 'xterm' })).toContain('\u001b[K');
  });

  it('is lines without control characters on a dumb one', () => {
    expect(shown({ TERM: 'dumb' })).toBe('sample: 0s/10s  starting\na note\n');
  });
});
