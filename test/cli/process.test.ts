import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

function start(args: readonly string[]) {
  const child = spawn(process.execPath, ['--', 'src/main.ts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return { child, output, end: once(child, 'close').then(([code]) => code as number | null) };
}

describe('the process', () => {
  it('ends with the exit code of its command and tells a person on stderr', async () => {
    const { output, end } = start(['validate', 'gone.yaml']);
    expect(await end).toBe(104);
    expect(output.stderr).toContain('there is no such file');
    expect(output.stdout).toBe('');
  });

  it('ends quietly when nobody reads its data any more', async () => {
    const { child, output, end } = start(['schema']);
    child.stdout.destroy();
    expect(await end).toBe(0);
    expect(output.stderr).toBe('');
  });

  it('has its own --env-file', async () => {
    const { output, end } = start(['validate', 'scenarios/quickstart.yaml', '--env-file', 'gone']);
    expect(await end).toBe(104);
    expect(output.stderr).toContain('Cannot read the environment file');
  });
});
