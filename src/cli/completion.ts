import { basename } from 'node:path';
import type { Variables } from '../scenario/reading/variables.ts';
import type { EventOfFleet } from '../staging/control-api/schemas.ts';
import { CTL_FLAGS } from './commands/ctl.ts';
import type { Io } from './io.ts';

/** The flag with which completion scripts call Muster; the typed words follow. */
const ASKED_BY = '--get-yargs-completions';

/** Longest wait for a completion. */
const MOST_MS = 1000;

/** yargs provides scripts for bash and zsh. Like these, the fish script falls back to file names. */
const FISH = `# Installation: muster completion fish > ~/.config/fish/completions/muster.fish
function __muster_complete
    set -l typed (commandline -ct)
    # For zsh, each word is followed by a colon and its description.
    set -l words (SHELL=zsh muster --get-yargs-completions (commandline -opc) $typed 2>/dev/null | string replace ':' \\t)
    set -l fitting (string match -- "$typed*" $words)
    if test (count $fitting) -gt 0
        printf '%s\\n' $fitting
    else
        __fish_complete_path $typed
    end
end
complete --command muster --no-files --arguments '(__muster_complete)'
`;

/** The completion script for fish; `undefined` for shells that yargs supports. */
export function completionScript(
  [command, shell, ...rest]: readonly string[],
  { SHELL = '' }: Variables,
): string | undefined {
  if (command !== 'completion' || rest.length > 0) return undefined;
  const isFish = shell === 'fish' || (shell === undefined && basename(SHELL) === 'fish');
  return isFish ? FISH : undefined;
}

/**
 * Completions for `ctl` that yargs does not know: event kinds, names of open events, and nothing for the free-form value of a flag.
 * `undefined` leaves completion to yargs.
 */
export async function completions(args: readonly string[], io: Io): Promise<readonly string[] | undefined> {
  const [asked, , command, ...typed] = args;
  if (asked !== ASKED_BY || command !== 'ctl') return undefined;
  const current = typed.pop() ?? '';
  const { words, values, awaited } = wordsOf(typed);
  if (awaited !== undefined) return 'choices' in CTL_FLAGS[awaited] ? undefined : [];
  const [what, ...of] = words;
  if (of.length > 0 || current.startsWith('-')) return undefined;
  const found = what === 'do' ? await kindsOfEvents() : what === 'end' ? await openEvents(values, io) : undefined;
  return found?.filter((name) => name.startsWith(current));
}

type Flag = keyof typeof CTL_FLAGS;
type Values = Readonly<Partial<Record<Flag, string>>>;

/** Splits typed words into positional words and flag values. `awaited` is a flag at the end that still needs its value. */
function wordsOf(typed: readonly string[]): { words: readonly string[]; values: Values; awaited: Flag | undefined } {
  const words: string[] = [];
  const values: Partial<Record<Flag, string>> = {};
  let awaited: Flag | undefined;
  for (const word of typed) {
    if (awaited !== undefined) {
      values[awaited] = word;
      awaited = undefined;
    } else if (word.startsWith('-')) awaited = flagThatWaits(word.replace(/^--?/, ''));
    else words.push(word);
  }
  return { words, values, awaited };
}

type FlagSettings = { readonly describe: string; readonly alias?: string; readonly type?: string };

/** The flag if its value follows as the next word; `undefined` for a switch, an unknown flag, or a value after `=`. */
function flagThatWaits(name: string): Flag | undefined {
  const flags = Object.entries<FlagSettings>(CTL_FLAGS) as [Flag, FlagSettings][];
  return flags.find(([flag, { alias, type }]) => (name === flag || name === alias) && type !== 'boolean')?.[0];
}

async function kindsOfEvents(): Promise<readonly string[]> {
  const { KINDS } = await import('../scenario/events.ts');
  // Events are ended with `ctl end`.
  return KINDS.filter((kind) => kind !== 'end');
}

/** Names of events that have not ended; empty if no fleet answers in time. */
async function openEvents({ url, scenario, data }: Values, io: Io): Promise<readonly string[]> {
  try {
    const { findFleet } = await import('./ctl/find-fleet.ts');
    const access = await findFleet({ url, scenario, data }, io);
    const headers = { authorization: `Bearer ${access.token}` };
    const answer = await fetch(`${access.url}/api/events`, { headers, signal: AbortSignal.timeout(MOST_MS) });
    const { events } = (await answer.json()) as { readonly events: readonly EventOfFleet[] };
    return events.filter(({ status }) => status !== 'over').map(({ name }) => name);
  } catch {
    return [];
  }
}
