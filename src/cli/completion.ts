import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { Options } from 'yargs';
import type { EventAnswer } from '../staging/control-api/schemas.ts';
import type { FleetChoice } from './ctl/find-fleet.ts';
import { CTL_FLAGS } from './flags/ctl-flags.ts';
import type { Command, Io } from './io.ts';

/** The flag with which completion scripts call Muster; the typed words follow. */
const ASKED_BY = '--get-yargs-completions';

/** Longest wait for a completion. */
const MOST_MS = 1000;

/**
 * The scripts ask Muster with `SHELL=zsh` for lines of the form `word:description`. They leave out short flags, which yargs writes
 * with two hyphens, and fall back to file names.
 */
const SCRIPTS = {
  bash: `# Installation: muster completion bash >> ~/.bashrc
_muster_complete() {
    local word=\${COMP_WORDS[COMP_CWORD]} words
    words=$(SHELL=bash muster --get-yargs-completions "\${COMP_WORDS[@]:0:COMP_CWORD}" "$word" 2>/dev/null | grep -v '^--.$')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _muster_complete muster
`,
  zsh: `# Installation: muster completion zsh >> ~/.zshrc
_muster() {
    local -a found
    found=(\${(f)"$(SHELL=zsh muster --get-yargs-completions \${words[1,CURRENT]} 2>/dev/null)"})
    found=(\${found:#--?(|:*)})
    if (( \${#found} )); then _describe muster found; else _files; fi
}
(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
compdef _muster muster
`,
  fish: `# Installation: muster completion fish > ~/.config/fish/completions/muster.fish
function __muster_complete
    set -l typed (commandline -ct)
    set -l words (SHELL=zsh muster --get-yargs-completions (commandline -opc) $typed 2>/dev/null | string replace ':' \\t)
    set -l fitting (string match -- "$typed*" $words | string match --invert --regex '^--.(\\t|$)')
    if test (count $fitting) -gt 0
        printf '%s\\n' $fitting
    else
        __fish_complete_path $typed
    end
end
complete --command muster --no-files --arguments '(__muster_complete)'
`,
} as const;

type Shell = keyof typeof SCRIPTS;

const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];

/** Prints the completion script of a shell. */
export const completionCommand: Command<{ shell: Shell | undefined }> = (io) => ({
  command: 'completion [shell]',
  describe: 'Print a completion script for bash, zsh or fish',
  builder: (yargs) =>
    yargs
      .positional('shell', { choices: SHELLS, describe: 'Shell; default: the shell in SHELL, or bash' })
      .example('$0 completion bash >> ~/.bashrc', 'complete commands and flags in bash')
      .example('$0 completion fish > ~/.config/fish/completions/muster.fish', 'the same in fish'),
  handler: ({ shell }) => {
    const own = basename(io.env.SHELL ?? '');
    io.stdout.write(SCRIPTS[shell ?? SHELLS.find((one) => one === own) ?? 'bash']);
  },
});

/**
 * Completions for `ctl` that yargs does not know: event kinds, names of open events, and nothing for the free-form value of a flag.
 * `undefined` leaves completion to yargs.
 */
export async function completions(args: readonly string[], io: Io): Promise<readonly string[] | undefined> {
  const [asked, , command, ...typed] = args;
  if (asked !== ASKED_BY || command !== 'ctl') return undefined;
  const current = typed.pop() ?? '';
  const settings = { options: OPTIONS, allowPositionals: true, strict: false, tokens: true } as const;
  const { values, positionals, tokens } = parseArgs({ args: typed, ...settings });
  const last = tokens.at(-1);
  if (last?.kind === 'option' && last.value === undefined && OPTIONS[last.name]?.type === 'string')
    return 'choices' in CTL_FLAGS[last.name as keyof typeof CTL_FLAGS] ? undefined : [];
  const [what, ...of] = positionals;
  if (of.length > 0 || current.startsWith('-')) return undefined;
  const chosen = values as Partial<FleetChoice>;
  const found = what === 'do' ? await kindsOfEvents() : what === 'end' ? await openEvents(chosen, io) : undefined;
  return found?.filter((name) => name.startsWith(current));
}

// A switch takes no value; the value of another flag may follow as the next word.
const OPTIONS = Object.fromEntries(
  Object.entries<Options>(CTL_FLAGS).map(([flag, { alias, type }]) => [
    flag,
    { type: type === 'boolean' ? type : ('string' as const), ...(typeof alias === 'string' && { short: alias }) },
  ]),
);

async function kindsOfEvents(): Promise<readonly string[]> {
  const { KINDS } = await import('../scenario/events.ts');
  // Events are ended with `ctl end`.
  return KINDS.filter((kind) => kind !== 'end');
}

/** Names of events that have not ended; empty if no fleet answers in time. */
async function openEvents(chosen: Partial<FleetChoice>, io: Io): Promise<readonly string[]> {
  try {
    const { findFleet } = await import('./ctl/find-fleet.ts');
    const access = await findFleet({ url: undefined, scenario: undefined, data: undefined, ...chosen }, io);
    const { createControlClient } = await import('./ctl/client.ts');
    const signal = AbortSignal.timeout(MOST_MS);
    const { events } = await createControlClient(access).get<{ events: EventAnswer[] }>('/api/v1/events', signal);
    return events.filter(({ status }) => status !== 'over').map(({ name }) => name);
  } catch {
    return [];
  }
}
