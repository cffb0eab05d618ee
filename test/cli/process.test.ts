import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const hasScript = spawnSync('script', ['--version']).status === 0;

function start(args: readonly string[]) {
  return watch(spawn(process.execPath, ['--', 'src/main.ts', ...args], { cwd: ROOT }));
}

function watch(child: ChildProcessWithoutNullStreams) {
  child.stdin.end();
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return { child, output, end: once(child, 'close').then(([code]) => code as number | null) };
}

describe('the process', () => {
  it('ends with the exit code of its command and prints its message to stderr', async () => {
    const { output, end } = start(['run', 'gone.yaml']);
    expect(await end).toBe(104);
    expect(output.stderr).toContain('no such file');
    expect(output.stdout).toBe('');
  });

  it('ends quietly if stdout is closed', async () => {
    const { child, output, end } = start(['schema']);
    child.stdout.destroy();
    expect(await end).toBe(0);
    expect(output.stderr).toBe('');
  });

  it('reports that its output cannot be written, as an error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-full-'));
    const script = 'ulimit -f 0; exec "$0" -- src/main.ts schema > "$1"';
    const { output, end } = watch(
      spawn('sh', ['-c', script, process.execPath, join(folder, 'schema.json')], { cwd: ROOT }),
    );
    expect(await end).toBe(116);
    expect(output.stderr).toMatch(/^Cannot write to the standard output: EFBIG.*\n$/);
    rmSync(folder, { recursive: true });
  });

  it('refuses to start in a folder that no longer exists', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-gone-'));
    const script = 'rmdir "$1"; exec "$0" -- "$2" schema';
    const args = [process.execPath, folder, join(ROOT, 'src/main.ts')];
    const { output, end } = watch(spawn('sh', ['-c', script, ...args], { cwd: folder }));
    expect(await end).toBe(104);
    expect(output.stderr).toBe('The current folder no longer exists: change to another one.\n');
  });

  it('handles --env-file itself instead of Node', async () => {
    const { output, end } = start(['validate', 'scenarios/quickstart.yaml', '--env-file', 'gone']);
    expect(await end).toBe(104);
    expect(output.stderr).toContain('Cannot read the environment file');
  });

  it('keeps serving if the disk is full: agents get a JSON error, and stderr says why', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-full-'));
    // A file may grow to 64 blocks of at most 1 KiB.
    const script = 'ulimit -f 64; exec "$0" -- src/main.ts serve --listen 127.0.0.1:0 --data "$1"';
    const { child, output, end } = watch(
      spawn('sh', ['-c', script, process.execPath, join(folder, 'agents.db')], { cwd: ROOT }),
    );
    await expect.poll(() => output.stdout).toContain('http');
    const register = async (i: number) => {
      const body = JSON.stringify({ agentuuid: `agent-${i}`, password: '' });
      const answer = await fetch(`${output.stdout.trim()}/agentconnector/register_agent.json`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
      return { status: answer.status, body: await answer.json() };
    };
    let last = await register(0);
    for (let i = 1; i < 500 && last.status === 201; i++) last = await register(i);
    expect(last).toEqual({ status: 500, body: { error: expect.any(String) } });
    expect(output.stderr).toContain('cannot be written: ');
    expect((await register(0)).status).toBe(403);
    child.kill('SIGTERM');
    expect(await end).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('goes on without a terminal if one closes elsewhere, as nohup promises', async () => {
    const { child, output, end } = start(['serve', '--listen', '127.0.0.1:0']);
    await expect.poll(() => output.stdout).toContain('http');
    child.kill('SIGHUP');
    expect((await fetch(output.stdout.trim())).status).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await end).toBe(0);
  });

  it('opens no debugger on SIGUSR1, and goes on', async () => {
    const { child, output, end } = start(['serve', '--listen', '127.0.0.1:0']);
    await expect.poll(() => output.stdout).toContain('http');
    child.kill('SIGUSR1');
    expect((await fetch(output.stdout.trim())).status).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await end).toBe(0);
    expect(output.stderr).not.toContain('Debugger');
  });

  it.skipIf(!hasScript)('writes for 80 columns to a terminal without a size, with the script command', async () => {
    const command = `exec "${process.execPath}" -- src/main.ts plan scenarios/quickstart.yaml`;
    const { output, end } = watch(spawn('script', ['-qec', command, '/dev/null'], { cwd: ROOT }));
    await end;
    expect(output.stdout).toMatch(/^phase +start +duration +operation +size +peak rate +traffic\r$/m);
  });

  it.skipIf(!hasScript)('ends a run with all its results if its terminal closes, with the script command', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-terminal-'));
    const results = join(folder, 'quickstart');
    const command = `exec "${process.execPath}" -- src/main.ts run scenarios/quickstart.yaml --out "${folder}"`;
    const terminal = watch(spawn('script', ['-qec', command, '/dev/null'], { cwd: ROOT }));
    await expect.poll(() => terminal.output.stdout, { timeout: 20_000 }).toContain('in flight');
    terminal.child.kill('SIGKILL');
    await expect.poll(() => existsSync(join(results, 'latest/summary.json')), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => existsSync(join(results, 'latest/report.html')), { timeout: 20_000 }).toBe(true);
    const summary = JSON.parse(readFileSync(join(results, 'latest/summary.json'), 'utf8'));
    expect(summary.verdict.kind).toBe('interrupted');
    rmSync(folder, { recursive: true });
  });
});
