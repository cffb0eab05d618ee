import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { Options } from 'yargs';
import { FOREIGN_WORDS, foreignWordText, type WordContext, wordsOf } from '../base/notation/foreign-words.ts';
import type { EventAnswer } from '../staging/control-api/schemas.ts';
import { type Command, command, commandName, type ValuesOf } from './command.ts';
import type { FleetChoice } from './ctl/find-fleet.ts';
import { CTL_FLAGS, CTL_INPUTS } from './flags/ctl-flags.ts';
import type { Io } from './io.ts';

/** The flag with which completion scripts call Muster; the typed words follow. */
const ASKED_BY = '--get-yargs-completions';

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
  flags: {},
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

/**
 * Completions that yargs does not know: for `ctl` event kinds, names of open events, and nothing for the free-form value of a flag; for words
 * of other tools, what to use instead. `undefined` leaves completion to yargs.
 */
export async function completions(
  args: readonly string[],
  commands: readonly Command[],
  io: Io,
): Promise<readonly string[] | undefined> {
  const [asked, , command, ...typed] = args;
  if (asked !== ASKED_BY) return undefined;
  const foreign = foreignCompletions(args.slice(2), commands, io);
  if (foreign.length > 0) return foreign;
  if (command !== 'ctl') return undefined;
  const current = typed.pop() ?? '';
  const settings = { options: OPTIONS, allowPositionals: true, strict: false, tokens: true } as const;
  const { values, positionals, tokens } = parseArgs({ args: typed, ...settings });
  const last = tokens.at(-1);
  if (last?.kind === 'option' && last.value === undefined && OPTIONS[last.name]?.type === 'string')
    return 'choices' in CTL_FLAGS[last.name as keyof typeof CTL_FLAGS] ? undefined : [];
  const [what, ...of] = positionals;
  if (of.length > 0 || current.startsWith('-')) return undefined;
  const chosen = values as FleetChoice;
  const found = what === 'do' ? await eventKinds() : what === 'end' ? await openEvents(chosen, io) : undefined;
  return found?.filter((name) => name.startsWith(current));
}

/** Words of other tools that begin as typed, with what to use instead, if no word of Muster does. bash could not show it. */
function foreignCompletions(typed: readonly string[], commands: readonly Command[], { env }: Io): readonly string[] {
  const [first = '', ...others] = typed;
  const current = typed.at(-1) ?? '';
  const word = current.replace(/^--/, '');
  if (env.SHELL !== 'zsh' || word === '') return [];
  const flags = commands.find((one) => commandName(one) === first)?.flags ?? {};
  const [place, own]: [WordContext, readonly string[]] =
    others.length === 0
      ? ['command', commands.map(commandName)]
      : current.startsWith('--')
        ? ['flag', Object.keys(flags)]
        : ['ctl', first === 'ctl' && others.length === 1 ? Object.keys(CTL_INPUTS) : [word]];
  if (own.some((name) => name.startsWith(word))) return [];
  const words = FOREIGN_WORDS[place].flatMap(wordsOf).filter((one) => one.length > 1 && one.startsWith(word));
  return words.map((one) => `${current.startsWith('--') ? '--' : ''}${one}:${foreignWordText(place, one)}`);
}

// A switch takes no value; the value of another flag may follow as the next word.
const OPTIONS = Object.fromEntries(
  Object.entries<Options>(CTL_FLAGS).map(([flag, { alias, type }]) => [
    flag,
    { type: type === 'boolean' ? type : ('string' as const), ...(typeof alias === 'string' && { short: alias }) },
  ]),
);

/** Without `end`, because `ctl end` ends events. */
const eventKinds = async () => (await import('../scenario/events.ts')).KINDS.filter((kind) => kind !== 'end');

/** Names of events that have not ended; empty if no fleet answers in time. */
async function openEvents(chosen: FleetChoice, io: Io): Promise<readonly string[]> {
  try {
    const { findFleet } = await import('./ctl/find-fleet.ts');
    const access = await findFleet(chosen, io);
    const { createControlClient } = await import('./ctl/client.ts');
    const signal = AbortSignal.timeout(MAX_MS);
    const { events } = await createControlClient(access).get<{ events: EventAnswer[] }>('/api/v1/events', signal);
    return events.filter(({ status }) => status !== 'over').map(({ name }) => name);
  } catch {
    return [];
  }
}
