import type { Argv } from 'yargs';

// Arguments of a process never contain NUL.
const STAND_IN = '\0';

/** Masks the argument `-`, which yargs would drop as the start of a flag. `withDash` restores it for commands. */
export function maskDash(args: readonly string[]): string[] {
  return args.map((arg) => (arg === '-' ? STAND_IN : arg));
}

/** Restores masked arguments in a message of yargs. */
export function unmaskDash(text: string): string {
  return text.replaceAll(STAND_IN, '-');
}

/** Restores masked arguments for commands. */
export function withDash(parser: Argv): Argv {
  return parser.middleware((flags: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(flags)) flags[name] = unmasked(value);
  });
}

function unmasked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmasked);
  return value === STAND_IN ? '-' : value;
}
