import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { COMMAND, ENVIRONMENT, ROOT } from '../muster.ts';
import type { Command, Page, Step } from './page.ts';
import { missingLine } from './shown-text.ts';

/** Against hanging alone: a page that is run has no command of minutes. */
const LIMIT_MS = 45_000;

/** How long what a page left running has to end in order. */
const PATIENCE_MS = 10_000;

// With a network of its own, a page has the ports that it names to itself, and reaches no other machine.
const OWN_NETWORK = [
  'unshare',
  '--user',
  '--map-root-user',
  '--net',
  'sh',
  '-c',
  'ip link set lo up && exec "$@"',
  'sh',
];

/** Whether this machine can give each page a network of its own. */
export const hasOwnNetworks = spawnSync('unshare', [...OWN_NETWORK.slice(1), 'true']).status === 0;

/** Where a page was not held to its word, as this machine was too busy for a run. */
export type Unheld = { readonly place: string };

type Shell = {
  /** Carries out a command, and returns its exit code. Throws if it takes too long. */
  carryOut(text: string): Promise<number>;
  /** What all commands have said, also those in the background. */
  said(): string;
  /** Waits until this holds of what they have said; false: it did not in time. */
  becomes(holds: () => boolean): Promise<boolean>;
  readonly folder: string;
  close(): Promise<void>;
};

/**
 * Carries out the commands of a page in their order, as a reader does: in one shell, in an empty folder but for `scenarios`
 * and `examples` of the checkout. Throws, with the place on the page, if a command ends otherwise than the page says, or
 * if what the page shows of its output does not come.
 *
 * @param prelude What the page takes to be there; goes first.
 */
export async function followPage(page: Page, prelude: string): Promise<readonly Unheld[]> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-page-'));
  const shell = openShell(folder);
  const unheld: Unheld[] = [];
  try {
    const code = await shell.carryOut(prelude);
    if (code !== 0) throw new Error(`${page.name}: its prelude ended with ${code}:\n${shell.said()}`);
    for (const step of page.steps) {
      for (const { name, text } of step.files) writeFileSync(join(shell.folder, name), text);
      if (step.notRun === undefined) unheld.push(...(await followStep(page, step, shell)));
    }
    return unheld;
  } finally {
    await shell.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function followStep({ name }: Page, { commands, shown }: Step, shell: Shell): Promise<readonly Unheld[]> {
  const begin = shell.said().length;
  const saidHere = () => shell.said().slice(begin);
  const unheld: Unheld[] = [];
  for (const command of commands) {
    const place = `${name}:${command.line}: ${command.text}`;
    const code = await followCommand(command, shell);
    if (code === EXIT_CODES.invalid && code !== command.exitCode) unheld.push({ place });
    else if (code !== command.exitCode)
      throw new Error(`${place}\nends with ${code}, and not with ${command.exitCode}. It said:\n${saidHere()}`);
  }
  if (unheld.length > 0) return unheld;
  for (const text of shown) {
    const missing = () => missingLine(text, saidHere());
    if (!(await shell.becomes(() => missing() === undefined)))
      throw new Error(
        `${name}:${text.line} shows\n${missing()}\nwhich the commands before it did not say, but:\n${saidHere()}`,
      );
  }
  return [];
}

/** Carries out a command and returns its exit code. One that goes on until it is interrupted is, as soon as it has said something. */
async function followCommand({ text, isInterrupted }: Command, shell: Shell): Promise<number> {
  if (!isInterrupted) return await shell.carryOut(text);
  const begin = shell.said().length;
  await shell.carryOut(`${text.replace(/\s+# .*$/, '')} &`);
  await shell.becomes(() => shell.said().includes('\n', begin));
  return await shell.carryOut('kill -INT %%; wait %%');
}

/** Puts `npx muster` and `muster` on the path, as they are where Muster is installed. Another `npx` would ask the registry. */
function programsIn(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const muster = COMMAND.map((word) => `'${word}'`).join(' ');
  const programs = {
    muster: `exec ${muster} "$@"`,
    npx: `test "$1" = muster || { echo "npx $1 is not run by this test" >&2; exit 127; }\nshift\nexec ${muster} "$@"`,
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

function openShell(folder: string): Shell {
  const work = join(folder, 'work');
  mkdirSync(work);
  for (const name of ['scenarios', 'examples']) symlinkSync(join(ROOT, name), join(work, name));
  const [program, ...words] = hasOwnNetworks ? [...OWN_NETWORK, 'bash', '-m'] : ['bash', '-m'];
  const child = spawn(program ?? 'bash', words, {
    cwd: work,
    env: { ...ENVIRONMENT, HOME: folder, MUSTER: ROOT, PATH: `${programsIn(folder)}:${process.env.PATH}` },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const output = collect(child);
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  const carryOut = async (text: string) => {
    const mark = `<ended ${crypto.randomUUID()}`;
    // What a command reads is not the script of this shell.
    child.stdin?.write(`eval ${quoted(text)} < /dev/null 2>&1\necho "${mark} $?>"\n`);
    const pattern = new RegExp(`${mark} (\\d+)>\\n`);
    if (!(await output.becomes(() => pattern.test(output.text()))))
      throw new Error(`${text}\ndid not end:\n${output.text()}`);
    const code = Number(pattern.exec(output.text())?.[1]);
    output.remove(pattern);
    return code;
  };
  return {
    carryOut,
    said: output.text,
    becomes: output.becomes,
    folder: work,
    async close() {
      child.stdin?.end('jobs=$(jobs -p); test -z "$jobs" || kill $jobs; wait\n');
      // All of its jobs are of its session, and nothing else is.
      const limit = setTimeout(() => spawnSync('pkill', ['-KILL', '-s', String(child.pid)]), PATIENCE_MS);
      await ended;
      clearTimeout(limit);
    },
  };
}

type Output = {
  text(): string;
  remove(pattern: RegExp): void;
  /** Whether this holds now or after what comes next, within the limit. */
  becomes(holds: () => boolean): Promise<boolean>;
};

function collect(child: ChildProcess): Output {
  let text = '';
  let look = () => {};
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    look();
  });
  return {
    text: () => text,
    remove(pattern) {
      text = text.replace(pattern, '');
    },
    becomes: (holds) =>
      new Promise((settle) => {
        const limit = setTimeout(() => settle(false), LIMIT_MS);
        look = () => {
          if (!holds()) return;
          clearTimeout(limit);
          look = () => {};
          settle(true);
        };
        look();
      }),
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
