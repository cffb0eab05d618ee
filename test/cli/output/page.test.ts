import { describe, expect, it } from 'vitest';
import { canMoveCursor, paletteFor } from '../../../src/cli/output/page.ts';
import { COLORED } from '../../../src/report/palette.ts';

const TERMINAL = { write: () => true, isTTY: true };
const PIPE = { write: () => true };

describe('colors', () => {
  it.each([
    ['are on for a terminal', TERMINAL, {}, true],
    ['are off for a pipe', PIPE, {}, false],
    ['are off for a dumb terminal', TERMINAL, { TERM: 'dumb' }, false],
    ['are off with NO_COLOR', TERMINAL, { NO_COLOR: '1' }, false],
    ['are on for a terminal with an empty NO_COLOR', TERMINAL, { NO_COLOR: '' }, true],
    ['are on for a pipe if forced', PIPE, { FORCE_COLOR: '1' }, true],
    ['are on with an empty FORCE_COLOR', PIPE, { FORCE_COLOR: '' }, true],
    [
      'are on if forced, despite NO_COLOR and a dumb terminal',
      PIPE,
      { FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' },
      true,
    ],
    ['are off with FORCE_COLOR=0', TERMINAL, { FORCE_COLOR: '0' }, false],
    ['are off with FORCE_COLOR=false', TERMINAL, { FORCE_COLOR: 'false' }, false],
  ])('%s', (_, sink, env, colored) => {
    expect(paletteFor(sink, env) === COLORED).toBe(colored);
  });
});

describe('a line is redrawn in place', () => {
  it.each([
    ['on a terminal', TERMINAL, { FORCE_COLOR: '0', TERM: 'xterm' }, true],
    ['not on a dumb terminal', TERMINAL, { TERM: 'dumb' }, false],
    ['not in a pipe, even with forced colors', PIPE, { FORCE_COLOR: '1' }, false],
  ])('%s', (_, sink, env, able) => {
    expect(canMoveCursor(sink, env)).toBe(able);
  });
});
