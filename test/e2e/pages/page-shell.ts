import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { COMMAND, ENVIRONMENT, ROOT } from '../muster.ts';
import type { Command, Commands, Page } from './page.ts';
import { missingLine } from './shown-text.ts';

/** Against hanging alone: on a quiet machine no command of a page takes a minute. */
const LIMIT_MS = 300_000;

/** The same for what a command that still runs has to say. */
const SHOWN_LIMIT_MS = 120_000;

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

type Shell = {
  readonly folder: string;
  /** Carries out a command, and returns its exit code. Throws if it takes too long. */
  carryOut(text: string): Promise<number>;
  /** What all commands have said, also those that still run. */
  said(): string;
  /** Waits until this holds of what they have said; false: it did not in time. */
  becomes(holds: () => boolean, limitMs: number): Promise<boolean>;
  close(): Promise<void>;
};

type Around = { readonly before: string | undefined; readonly after: string | undefined };

/**
 * Does what a page asks its readers for, in its order, in one shell, and in an empty folder but for `scenarios` and `examples`
 * of the checkout. Throws, with the place on the page, if a command ends otherwise than the page says, or if what the page
 * shows of its output does not come.
 *
 * @param around Commands that have to end with 0: `before` makes what the page takes to be there, `after` checks what it shows nowhere.
 * @returns The commands that say nothing of what the page claims, as the machine was too busy for their runs.
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
    throw new Error(`${name}: beside the page, this ended with ${code}:\n${text}\nSaid so far:\n${shell.said()}`);
}

/** @param isHeld Whether all runs before were valid; what comes of others may be anything. */
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
      throw new Error(`${place}\nends with ${code}, and not with ${command.exitCode}. It said:\n${saidHere()}`);
  }
  if (unheld.length > 0 || !isHeld) return unheld;
  // A command that has ended says nothing more.
  const limitMs = step.commands.some(({ text, goesOn }) => goesOn === 'left' || /&$/.test(text)) ? SHOWN_LIMIT_MS : 0;
  for (const text of step.shown) {
    const missing = () => missingLine(text, saidHere());
    if (await shell.becomes(() => missing() === undefined, limitMs)) continue;
    const what = `${name}:${text.line} shows\n${missing()}\nwhich the commands before it did not say, but:`;
    throw new Error(`${what}\n${saidHere()}`);
  }
  return [];
}

/** Carries out a command, and returns its exit code. One that is left running ends with what the page says, for all that is known. */
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

/** Interrupts a command that was left running. It has to end as one that did all of its work. */
async function interrupt({ name }: Page, command: string, shell: Shell): Promise<void> {
  const find = `job=$(printf '%s\n' "\${left[@]}" | grep -F -- " "${quoted(command)} | tail -n 1 | cut -d ' ' -f 1)`;
  const code = await shell.carryOut(`${find}; kill -INT "$job" && wait "$job"`);
  if (code !== 0) throw new Error(`${name}: Ctrl-C for ${command} ended it with ${code}. It said:\n${shell.said()}`);
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
  const [program, ...words] = hasOwnNetworks ? [...OWN_NETWORK, 'bash'] : ['bash'];
  const child = spawn(program ?? 'bash', words, {
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
    // What a command reads is not the script of this shell.
    child.stdin?.write(`eval ${quoted(text)} < /dev/null 2>&1\necho "${mark} $?>"\n`);
    const pattern = new RegExp(`${mark} (\\d+)>\\n`);
    if (!(await output.becomes(() => pattern.test(output.text()), LIMIT_MS)))
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
