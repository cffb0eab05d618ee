import { ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { jsonIn, membersIn } from '../protocol/exact-json.ts';

/** An empty password: it was removed. */
type Entry = { readonly uuid: string; readonly password: string };

export type PasswordJournal = ReturnType<typeof passwordJournal>;

/**
 * What a thread may have to hand over to the identity file, in an open file. An entry is in the file when `append` returns, without waiting
 * for the disk: it survives the process, but not a power failure.
 */
export function passwordJournal(file: number) {
  let behind = 0;
  return {
    append: ({ uuid, password }: Entry): void => {
      behind++;
      // What a failed write left ends there.
      tried(() => writeSync(file, `\n${JSON.stringify([uuid, password])}`));
    },
    /** The oldest of these entries are in the identity file, this many. */
    stored: (entries: number): void => {
      behind -= entries;
      if (behind === 0) tried(() => ftruncateSync(file));
    },
  };
}

/** The identity file does not need the journal, and a disk without room ends the run there. */
function tried(write: () => void): void {
  try {
    write();
  } catch {}
}

/** Whole entries in their order. An entry that a kill or a full disk cut off is left out. */
export function readJournal(path: string): readonly Entry[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => entryIn(line) ?? []);
}

function entryIn(line: string): Entry | undefined {
  const { 0: uuid, 1: password } = membersIn(jsonIn(line));
  return typeof uuid === 'string' && typeof password === 'string' ? { uuid, password } : undefined;
}
