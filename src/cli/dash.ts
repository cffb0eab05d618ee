import type { Argv } from 'yargs';

// No process is ever given an argument with a NUL in it.
const STAND_IN = '\0';

/**
 * The argument `-`, which yargs takes for the beginning of a flag and drops, so that a command would have nothing to
 * do: it passes the parser masked, and commands find it in its own shape.
 */
export function maskDash(args: readonly string[]): string[] {
  return args.map((arg) => (arg === '-' ? STAND_IN : arg));
}

/** What yargs says about masked arguments, as the user wrote them. */
export function unmaskDash(text: string): string {
  return text.replaceAll(STAND_IN, '-');
}

/** Lets commands see what was masked. */
export function withDash(parser: Argv): Argv {
  return parser.middleware((flags: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(flags)) flags[name] = unmasked(value);
  });
}

function unmasked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmasked);
  return value === STAND_IN ? '-' : value;
}
