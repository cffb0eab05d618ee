import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { messageOf, UserError } from '../../ground/kernel/errors.ts';
import type { KeptDocument } from '../../recordings/raising.ts';
import { documentText, LONGEST_DOCUMENT_BYTES } from '../../recordings/reading.ts';
import { hostOfFile, type Intake, type Taken } from '../../recordings/recorder/intake.ts';
import { RECORDING_FILES, readHostRecording } from '../../recordings/recorder/recording-folder.ts';

/** The files that match a pattern, sorted. @throws UserError if none do */
export function matchedFiles(pattern: string, cwd: string): readonly string[] {
  const found = globSync(pattern, { cwd }).sort();
  if (found.length > 0) return found;
  throw new UserError(`--import: expected files or a pattern such as 'dumps/*.json', found no files for ${pattern}.`);
}

type Import = { readonly cwd: string; readonly intake: Intake; readonly isAnonymous: boolean };

/** Imports the documents of files into a recording, one file after another, because they may not fit in memory together. */
export function importFiles(
  files: readonly string[],
  { cwd, intake, isAnonymous }: Import,
  tell: (name: string, taken: Taken) => void,
): void {
  // Anonymizing takes two passes: an earlier document may mention a person that only a later one identifies.
  for (const file of isAnonymous ? files : []) {
    for (const one of offersOf(file, cwd)) if (one.kind === 'offer') intake.learn(one.text);
  }
  for (const file of files) {
    for (const one of offersOf(file, cwd)) {
      if (one.kind === 'fault') tell(one.name, one);
      else tell(one.name, intake.take({ ...one, arrivedMs: undefined, secrets: [] }));
    }
  }
}

type FileOffer = { readonly name: string } & (
  | { readonly kind: 'offer'; readonly text: string; readonly source: string }
  | Extract<Taken, { kind: 'fault' }>
);

/** The document in a file, or all documents of a recording. */
function offersOf(file: string, cwd: string): Iterable<FileOffer> {
  const path = resolve(cwd, file);
  const fault = (expected: string, found: string, place?: string): readonly FileOffer[] => {
    return [faultOf(file, { expected, found, place })];
  };
  try {
    if (existsSync(join(path, RECORDING_FILES.log))) return offersOfRecording(file, readHostRecording(path).documents);
    const stats = statSync(path);
    if (!stats.isFile())
      return fault('a file, or the folder of a recording', stats.isDirectory() ? 'another folder' : 'a special file');
    if (stats.size > LONGEST_DOCUMENT_BYTES)
      return fault(`at most ${LONGEST_DOCUMENT_BYTES} bytes`, `${stats.size} bytes`);
    const text = documentText(readFileSync(path));
    if (typeof text !== 'string') return fault(text.expected, text.found, text.place);
    return [{ kind: 'offer', name: file, text, source: hostOfFile(relative(cwd, path)) }];
  } catch (error) {
    return fault('a readable file', messageOf(error));
  }
}

type Fault = { readonly expected: string; readonly found: string; readonly place?: string | undefined };

function faultOf(name: string, { expected, found, place = 'the file' }: Fault): FileOffer {
  return { kind: 'fault', name, fault: { place, expected, found } };
}

/** Yields one document after another, because they may not fit in memory together. */
function* offersOfRecording(file: string, documents: readonly KeptDocument[]): Generator<FileOffer> {
  for (const document of documents) {
    const name = `${file} (${document.host})`;
    try {
      yield { kind: 'offer', name, text: document.text, source: document.host };
    } catch (error) {
      yield faultOf(name, { expected: 'a readable document', found: messageOf(error) });
    }
  }
}
