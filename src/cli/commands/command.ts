import type { CommandModule } from 'yargs';
import type { ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';

/** A command that says how the process ends by calling `end`; without a call it ends well. */
export type Command<Flags> = (io: Io, end: (code: ExitCode) => void) => CommandModule<object, Flags>;
