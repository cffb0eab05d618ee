import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Argv, FallbackCompletionFunction } from 'yargs';
import { FOREIGN_WORDS, foreignWordText, type WordContext, wordsOf } from '../base/notation/foreign-words.ts';
import type { EventAnswer } from '../staging/control-api/schemas.ts';
import { command, type ValuesOf } from './command.ts';
import type { FleetChoice } from './ctl/find-fleet.ts';
import type { Io } from './io.ts';
import { internals } from './usage-message.ts';

/** Longest wait for a completion. */
const MAX_MS = 1000;

/**
 * Their scripts (`templates`) ask Muster with `SHELL=zsh` for lines of the form `word:description`. They leave out short flags, which
 * yargs writes with two hyphens, and fall back to file names.
 */
const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completionCommand = command({
  usage: 'completion [shell]',
  describe: 'Print a completion script for bash, zsh or fish',
  positionals: { shell: { choices: SHELLS, describe: 'Shell; default: the shell in SHELL, or bash' } },
  examples: [
    ['$0 completion bash >> ~/.bashrc', 'complete commands and flags in bash'],
    ['$0 completion fish > ~/.config/fish/completions/muster.fish', 'the same in fish'],
  ],
});

export async function printCompletion(
  { shell }: ValuesOf<typeof completionCommand>,
  { env, stdout }: Io,
): Promise<void> {
  const own = basename(env.SHELL ?? '');
  const chosen = shell ?? SHELLS.find((one) => one === own) ?? 'bash';
  stdout.write(readFileSync(new URL(`./templates/completion.${chosen}`, import.meta.url), 'utf8'));
}

/** Lets yargs answer the scripts of `muster completion`. Returns what is added later: yargs does not wait for a fleet. */
export function answerScripts(parser: Argv, io: Io): readonly Promise<readonly string[]>[] {
  const later: Promise<readonly string[]>[] = [];
  const complete: FallbackCompletionFunction = (current, flags, offer, done) => {
    const [, ...words]: string[] = flags._;
    const isFlag = current.startsWith('-');
    if (!isFlag && words.join(' ') === `ctl end ${current}`) {
      later.push(openEvents(flags, io).then((names) => names.filter((name) => name.startsWith(current))));
      done([]);
    } else if (isFlag || words.at(-1) === current)
      offer((_error, offered = []) => {
        // bash could not show what to use instead of a word.
        const isUnknown = io.env.SHELL === 'zsh' && !offered.some((word) => word.startsWith(current));
        const foreign = isUnknown ? foreignWords(words, current) : [];
        // With the choices of an argument, yargs offers flags.
        const fitting = offered.filter((word) => isFlag || !word.startsWith('-'));
        done([foreign, fitting, offered].find(({ length }) => length > 0) ?? []);
      });
    else {
      // The value of a flag: yargs would offer more than its choices.
      const { choices } = internals(parser).getOptions();
      done(Object.entries(choices).flatMap(([name, some]) => (flags[name] === current ? some : [])));
    }
  };
  // The command of yargs that prints its own scripts is hidden.
  parser.completion('yargs-completion', false, complete);
  return later;
}

/** Words of other tools that begin as typed, with what to use instead. */
function foreignWords(words: readonly string[], current: string): string[] {
  const dashes = current.startsWith('-') ? '--' : '';
  const place: WordContext = dashes !== '' ? 'flag' : words.length === 1 ? 'command' : 'ctl';
  if (place === 'ctl' && (words[0] !== 'ctl' || words.length > 2)) return [];
  const known = FOREIGN_WORDS[place].flatMap(wordsOf).filter((word) => word.length > 1);
  const alike = known.filter((word) => `${dashes}${word}`.startsWith(current));
  return alike.map((word) => `${dashes}${word}:${foreignWordText(place, word)}`);
}

/** Names of events that have not ended; empty if no fleet answers in time. */
async function openEvents(flags: FleetChoice, io: Io): Promise<readonly string[]> {
  try {
    const { findFleet } = await import('./ctl/find-fleet.ts');
    const access = await findFleet(flags, io);
    const { createControlClient } = await import('./ctl/client.ts');
    const signal = AbortSignal.timeout(MAX_MS);
    const { events } = await createControlClient(access).get<{ events: EventAnswer[] }>('/api/v1/events', signal);
    return events.filter(({ status }) => status !== 'over').map(({ name }) => name);
  } catch {
    return [];
  }
}
