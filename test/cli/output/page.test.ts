import { describe, expect, it } from 'vitest';
import { canMoveCursor, paletteFor } from '../../../src/cli/output/page.ts';
import { COLORED } from '../../../src/report/layout.ts';

const TERMINAL = { write: () => true, isTTY: true };
const PIPE = { write: () => true };

describe('colors', () => {
  it.each([
    ['are for a terminal', TERMINAL, {}, true],
    ['are not for a pipe', PIPE, {}, false],
    ['are not for a dumb terminal', TERMINAL, { TERM: 'dumb' }, false],
    ['are not for NO_COLOR', TERMINAL, { NO_COLOR: '1' }, false],
    ['are for a terminal with an empty NO_COLOR', TERMINAL, { NO_COLOR: '' }, true],
    ['are forced into a pipe', PIPE, { FORCE_COLOR: '1' }, true],
    ['are forced by an empty FORCE_COLOR', PIPE, { FORCE_COLOR: '' }, true],
    ['are forced against NO_COLOR and a dumb terminal', PIPE, { FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }, true],
    ['are forbidden by FORCE_COLOR=0', TERMINAL, { FORCE_COLOR: '0' }, false],
    ['are forbidden by FORCE_COLOR=false', TERMINAL, { FORCE_COLOR: 'false' }, false],
  ])('%s', (_, sink, env, colored) => {
    expect(paletteFor(sink, env) === COLORED).toBe(colored);
  });
});

describe('a line is drawn in its place', () => {
  it.each([
    ['on a terminal', TERMINAL, { FORCE_COLOR: '0', TERM: 'xterm' }, true],
    ['not on a dumb one', TERMINAL, { TERM: 'dumb' }, false],
    ['not in a pipe, whatever is forced', PIPE, { FORCE_COLOR: '1' }, false],
  ])('%s', (_, sink, env, able) => {
    expect(canMoveCursor(sink, env)).toBe(able);
  });
});
