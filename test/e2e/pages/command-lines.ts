import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createParser } from '../../../src/cli/muster.ts';
import type { Page } from './page.ts';

/** A command line on a page that is not run. */
type Mention = { readonly line: number; readonly words: readonly string[] };

// This shell knows no other programs, and finds none.
const ONLY_MUSTER = `muster() { printf '%s\\0' "$@" '<end>'; }
npx() { shift; muster "$@"; }
command_not_found_handle() { :; }
`;

/** Returns what the command line rejects of the commands that a page mentions, each with its place. */
export async function mistakesOn(page: Page): Promise<readonly string[]> {
  const mistakes: string[] = [];
  for (const { line, words } of [...mentionedInFences(page), ...mentionedInText(page)]) {
    const mistake = await mistakeIn(words);
    if (mistake !== undefined) mistakes.push(`${page.name}:${line}: muster ${words.join(' ')}\n${mistake}`);
  }
  return mistakes;
}

function mentionedInFences({ steps }: Page): readonly Mention[] {
  const commands = steps.flatMap((step) =>
    step.kind === 'commands' && step.notRun !== undefined ? step.commands : [],
  );
  return commands.flatMap(({ line, text }) => {
    // An image with the name of its program.
    const call = text.replace(/^(?:podman|docker) run .* (?=muster [a-z])/, '');
    return calls(call).map((words) => ({ line, words }));
  });
}

function mentionedInText({ text }: Page): readonly Mention[] {
  return text
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(/`((?:[A-Z_]+=\S+ )?(?:npx )?muster [a-z][^`<]*)`/g)].flatMap(([, code = '']) =>
        calls(code.replaceAll(/[…|]/g, '')).map((words) => ({ line: index + 1, words })),
      ),
    );
}

/** Returns the arguments of each call of Muster in a text, as the shell parses them. */
function calls(text: string): readonly (readonly string[])[] {
  // The shell creates the files of redirections even if it finds no program.
  const cwd = mkdtempSync(join(tmpdir(), 'muster-command-lines-'));
  const { stdout } = spawnSync('/bin/bash', ['-c', ONLY_MUSTER + text], {
    cwd,
    encoding: 'utf8',
    env: { PATH: '/nonexistent' },
    timeout: 10_000,
  });
  rmSync(cwd, { recursive: true });
  return stdout
    .split('<end>\0')
    .slice(0, -1)
    .map((call) => call.split('\0').slice(0, -1));
}

/** Why the command line rejects these words; undefined if it accepts them, or only misses some, which a text may omit. */
async function mistakeIn(words: readonly string[]): Promise<string | undefined> {
  const silent = { write: () => undefined };
  const io = {
    stdin: Readable.from([]),
    stdout: silent,
    stderr: silent,
    env: {},
    cwd: '/',
    onInterrupt: () => () => undefined,
  };
  const parser = createParser(words, io, () => undefined).middleware(() => {
    throw new Error('taken');
  });
  try {
    await parser.parseAsync([...words], {}, () => undefined);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    return /Unknown|expected one of|expects no more/.test(message) ? message : undefined;
  }
}
