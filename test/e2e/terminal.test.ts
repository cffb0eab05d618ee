import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createScreen, type Line } from '../cli/output/terminal.ts';
import { COMMAND, ENVIRONMENT, folder, scenario } from './muster.ts';

const HELPER = join(import.meta.dirname, 'in-terminal.py');
const canOpenTerminals = spawnSync('python3', ['-c', 'import fcntl, pty, termios']).status === 0;

const LONG = `
fleet: { agents: 20, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: steady, duration: 10m, checkdata: { every: 500ms } }]
`;

describe.skipIf(!canOpenTerminals)('in a terminal (skipped if Python cannot open one)', () => {
  it('shows a run live at any size until it is interrupted, and leaves messages and summary intact', async () => {
    const args = [HELPER, '70', '40', ...COMMAND, 'run', scenario('watched', LONG)];
    const helper = spawn('python3', args, { cwd: folder, env: { ...ENVIRONMENT, TERM: 'xterm-256color' } });
    const ended = once(helper, 'close');
    const screen = createScreen(70, 40);
    const tell = (text: string) => helper.stdin.write(`${text}\n`);
    const views: (readonly Line[])[] = [];
    let written = '';
    let step: 'watched' | 'widened' | 'interrupted' = 'watched';
    for await (const chunk of helper.stdout) {
      written += chunk.toString('latin1');
      screen.write(chunk);
      const lines = await screen.lines();
      if (lines.some(({ text }) => text.endsWith(' left'))) views.push(lines);
      if (step === 'watched' && lines.some(({ text }) => text.includes('steady'))) {
        // Lines that were already drawn are not wrapped in a wider terminal.
        await screen.resize(100, 40);
        tell('100 40');
        step = 'widened';
      } else if (step === 'widened' && lines.some(({ text }) => text.length > 70)) {
        tell('^C');
        step = 'interrupted';
      }
    }
    expect((await ended)[0]).toBe(105);
    expect(written).toMatch(/^ {2}muster run: loading\r/);
    expect(views.flat().filter(({ isWrapped }) => isWrapped)).toEqual([]);
    const texts = (await screen.lines()).map(({ text }) => text);
    expect(texts.slice(0, 3)).toEqual([expect.stringMatching(/^stopping: /), '', '  watched']);
    expect(texts).toContain('  ✗ INTERRUPTED');
    expect(texts.filter((text) => /[█░]/.test(text))).toEqual([]);
    expect(written.lastIndexOf('\u001b[?25h')).toBeGreaterThan(written.lastIndexOf('\u001b[?25l'));
  });
});
