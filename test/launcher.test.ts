import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../src/cli/exit-codes.ts';

const LAUNCHER = resolve(import.meta.dirname, '../src/launcher.cjs');

const folder = mkdtempSync(join(tmpdir(), 'muster-launcher-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ENDS = (word: string) => `process.stdout.write('${word}'); process.exitCode = 0;`;

/** Runs the launcher in a folder with these files. */
function launch(name: string, files: Readonly<Record<string, string>>, node = '>=24') {
  const place = join(folder, name);
  cpSync(LAUNCHER, join(place, 'src/launcher.cjs'));
  const manifest = JSON.stringify({ type: 'module', engines: { node } });
  for (const [path, text] of Object.entries({ 'package.json': manifest, ...files })) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--', join(place, 'src/launcher.cjs')], {
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

describe('the launcher', () => {
  it('starts as a program where only a shell and Node are found, and leaves --env-file to Muster', () => {
    const shown = "process.stdout.write(process.argv.slice(2).join(' ')); process.exitCode = 0;";
    launch('program', { 'src/main.ts': shown });
    const { status, stdout, stderr } = spawnSync(
      join(folder, 'program/src/launcher.cjs'),
      ['--env-file', 'none', '$x y'],
      {
        env: { PATH: dirname(process.execPath) },
        encoding: 'utf8',
      },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '--env-file none $x y', stderr: '' });
  });

  it('names the required and the current version of Node in one sentence, and loads nothing', () => {
    expect(launch('old', { 'src/main.ts': ENDS('sources') }, '>=99')).toEqual({
      code: EXIT_CODES.userError,
      stdout: '',
      stderr: `muster needs Node 99 or newer; this is ${process.versions.node}, at ${process.execPath}; see docs/how-to/install.md.\n`,
    });
  });

  it('starts the sources of a checkout, even if compiled files exist', () => {
    const files = { 'src/main.ts': ENDS('sources'), 'dist/main.js': ENDS('compiled') };
    expect(launch('checkout', files)).toEqual({ code: 0, stdout: 'sources', stderr: '' });
  });

  it('starts the compiled program if there are no sources', () => {
    expect(launch('packed', { 'dist/main.js': ENDS('compiled') })).toEqual({ code: 0, stdout: 'compiled', stderr: '' });
  });

  it('ignores SIGUSR1, which would open a debugger, before anything is loaded', () => {
    const signals = "process.kill(process.pid, 'SIGUSR1'); setTimeout(() => { process.exitCode = 0; }, 100);";
    expect(launch('signalled', { 'dist/main.js': signals })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('does not exit with 0 if the program never completes', () => {
    expect(launch('hung', { 'dist/main.js': 'await new Promise(() => {});' }).code).toBe(EXIT_CODES.internalError);
  });
});
