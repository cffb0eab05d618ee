import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { COMMAND, ENVIRONMENT, ROOT } from '../muster.ts';
import type { Command, Commands, Page } from './page.ts';
import { missingLine } from './shown-text.ts';

/** Protects only against hanging: on an idle machine, no command of a page takes a minute. */
const LIMIT_MS = 300_000;

/** The limit for output of a command that is still running. */
const SHOWN_LIMIT_MS = 120_000;

/** Time for processes that a page left running to end in order. */
const PATIENCE_MS = 10_000;

// In a separate network namespace, a page has all ports that it names to itself, and reaches no other machine.
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

/** Whether this machine can give each page its own network. */
export const hasOwnNetworks = spawnSync('unshare', [...OWN_NETWORK.slice(1), 'true']).status === 0;

type Shell = {
  readonly folder: string;
  /** Runs a command and returns its exit code. @throws Error if it takes too long */
  carryOut(text: string): Promise<number>;
  /** The output of all commands so far, including running ones. */
  said(): string;
  /** Waits until this is true of the output; false if it was not in time. */
  becomes(holds: () => boolean, limitMs: number): Promise<boolean>;
  close(): Promise<void>;
};

type Around = { readonly before: string | undefined; readonly after: string | undefined };

/**
 * Follows the instructions of a page in order, in one shell, in a folder that contains only `scenarios` and `examples` of the checkout.
 *
 * @param around Commands that must end with 0: `before` creates what the page assumes, `after` checks what its output does not show.
 * @returns The commands whose output was not checked, because the machine was too busy for their runs.
 * @throws Error with the place on the page, if a command ends differently than the page says, or if output that the page shows
 * is missing.
 */
export async function followPage(page: Page, around: Around): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-page-'));
  const shell = openShell(folder);
  const unheld: string[] = [];
  try {
    await carryOutBeside(page, around.before, shell);
    for (const step of page.steps) {
      if (step.kind === 'save') writeFileSync(join(shell.folder, step.name), step.text);
      else if (step.kind === 'interrupt') await interrupt(page, step.command, shell);
      else if (step.notRun === undefined)
        unheld.push(...(await followCommands(page, { step, isHeld: unheld.length === 0 }, shell)));
    }
    await carryOutBeside(page, around.after, shell);
    return unheld;
  } finally {
    await shell.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function carryOutBeside({ name }: Page, text: string | undefined, shell: Shell): Promise<void> {
  const code = text === undefined ? 0 : await shell.carryOut(text);
  if (code !== 0)
    throw new Error(
      `${name}: the setup or check of this page failed with ${code}:\n${text}\nOutput so far:\n${shell.said()}`,
    );
}

/** @param isHeld Whether all previous runs were valid; otherwise their output is not checked. */
async function followCommands(
  { name }: Page,
  { step, isHeld }: { readonly step: Commands; readonly isHeld: boolean },
  shell: Shell,
): Promise<readonly string[]> {
  const begin = shell.said().length;
  const saidHere = () => shell.said().slice(begin);
  const unheld: string[] = [];
  for (const command of step.commands) {
    const place = `${name}:${command.line}: ${command.text}`;
    const code = await followCommand(command, shell);
    if (code === EXIT_CODES.invalid && code !== command.exitCode) unheld.push(place);
    else if (code !== command.exitCode)
      throw new Error(`${place}\nended with ${code}, expected ${command.exitCode}. Output:\n${saidHere()}`);
  }
  if (unheld.length > 0 || !isHeld) return unheld;
  // A command that has ended prints nothing more.
  const limitMs = step.commands.some(({ text, goesOn }) => goesOn === 'left' || /&$/.test(text)) ? SHOWN_LIMIT_MS : 0;
  for (const text of step.shown) {
    const missing = () => missingLine(text, saidHere());
    if (await shell.becomes(() => missing() === undefined, limitMs)) continue;
    const what = `${name}:${text.line} shows\n${missing()}\nbut the commands before it printed:`;
    throw new Error(`${what}\n${saidHere()}`);
  }
  return [];
}

/** Runs a command and returns its exit code. One that is left running counts as ending with the code on the page. */
async function followCommand({ text, goesOn, exitCode }: Command, shell: Shell): Promise<number> {
  if (goesOn === undefined) return await shell.carryOut(text);
  const begin = shell.said().length;
  const withoutComment = text.replace(/\s+# .*$/, '');
  await shell.carryOut(`${withoutComment} &`);
  if (goesOn === 'left') {
    await shell.carryOut(`left+=("$! "${quoted(withoutComment)})`);
    return exitCode;
  }
  await shell.becomes(() => shell.said().includes('\n', begin), LIMIT_MS);
  return await shell.carryOut('kill -INT %%; wait %%');
}

/** Interrupts a command that was left running. It must end with 0. */
async function interrupt({ name }: Page, command: string, shell: Shell): Promise<void> {
  const find = `job=$(printf '%s\n' "\${left[@]}" | grep -F -- " "${quoted(command)} | tail -n 1 | cut -d ' ' -f 1)`;
  const code = await shell.carryOut(`${find}; kill -INT "$job" && wait "$job"`);
  if (code !== 0) throw new Error(`${name}: Ctrl-C for ${command} ended it with ${code}. Output:\n${shell.said()}`);
}

/** Puts `npx muster` and `muster` on the path, as after an installation. The real `npx` would query the registry. */
function programsIn(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const muster = COMMAND.map((word) => `'${word}'`).join(' ');
  const programs = {
    muster: `exec ${muster} "$@"`,
    npx: `test "$1" = muster || { echo "npx $1 is not run by this test" >&2; exit 127; }\nshift\nnpm_command=exec exec ${muster} "$@"`,
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
  // Node, in the background, makes the output that all commands share non-blocking. Through a pipe, not a socket, which is full after some
  // 280 writes: curl writes its progress character by character, and what finds no room is lost.
  const shell = ['bash', '-c', 'bash | cat'];
  const [program = '', ...words] = hasOwnNetworks ? [...OWN_NETWORK, ...shell] : shell;
  const child = spawn(program, words, {
    cwd: work,
    env: {
      ...ENVIRONMENT,
      HOME: folder,
      TMPDIR: folder,
      MUSTER: ROOT,
      PATH: `${programsIn(folder)}:${process.env.PATH}`,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const output = collect(child);
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  const carryOut = async (text: string) => {
    const mark = `<ended ${crypto.randomUUID()}`;
    // A command must not read the script of this shell as its input.
    child.stdin?.write(`eval ${quoted(text)} < /dev/null 2>&1\necho "${mark} $?>"\n`);
    const pattern = new RegExp(`${mark} (\\d+)>\\n`);
    if (!(await output.becomes(() => pattern.test(output.text()), LIMIT_MS)))
      throw new Error(`${text}\ndid not end. Output:\n${output.text()}`);
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
      // All of its jobs, and nothing else, belong to its session.
      const limit = setTimeout(() => spawnSync('pkill', ['-KILL', '-s', String(child.pid)]), PATIENCE_MS);
      await ended;
      clearTimeout(limit);
    },
  };
}

type Output = {
  text(): string;
  remove(pattern: RegExp): void;
  /** Whether this is true now or after later output, within the limit. */
  becomes(holds: () => boolean, limitMs: number): Promise<boolean>;
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
    becomes: (holds, limitMs) =>
      new Promise((settle) => {
        const limit = setTimeout(() => settle(false), limitMs);
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
