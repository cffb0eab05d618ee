import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf, systemCode, UserError } from '../kernel/errors.ts';
import { memoized } from '../kernel/memoize.ts';
import { type AgentFileTexts, fileText, isAgentFile } from '../protocol/agent-files.ts';
import { sweepParts, type TextFile, writeDurably } from './durable-files.ts';
import { assertOwn } from './ownership.ts';

/** Files that agents keep on disk, by host name, and the keys that a fleet shares. */
export type AgentFiles = {
  /** Loads the files of all agents that have any. @throws UserError if something exists but is unreadable. */
  readonly loadAll: (hostNames: Iterable<string>) => Map<string, AgentFileTexts>;
  /** Saves these files and leaves others unchanged. Resolves when they are durable; rejects with a `UserError`. */
  readonly save: (entries: readonly AgentFilesEntry[]) => Promise<void>;
  /** Loads the keys of a pool, in PEM, by number. Throws like `loadAll`. */
  readonly loadKeys: (type: string) => Map<number, string>;
  readonly saveKeys: (type: string, keys: ReadonlyMap<number, string>) => Promise<void>;
  /** The path of a file, for messages. */
  readonly where: (hostName: string, file: string) => string;
  readonly whereKey: (type: string, number: number) => string;
};

export type AgentFilesEntry = { readonly hostName: string; readonly files: AgentFileTexts };

/** Cannot be a host name, because those of agents end in a number. */
const KEY_FOLDER = 'keys';

/** Keeps no files, for agents that exist only during the run. */
export function ephemeralAgentFiles(): AgentFiles {
  return {
    loadAll: () => new Map(),
    save: () => Promise.resolve(),
    loadKeys: () => new Map(),
    saveKeys: () => Promise.resolve(),
    where: (hostName, file) => `${hostName}/${file}`,
    whereKey: keyName,
  };
}

/**
 * Opens a folder `<identity file>.agents` with one folder per agent, which contains the agent's files under their own
 * names, and one for keys. Users may read, replace and delete them between runs.
 */
export function openAgentFiles(identityFile: string): AgentFiles {
  const root = resolve(`${identityFile}.agents`);
  const keyFolder = join(root, KEY_FOLDER);
  assertOwn(root, 'set another file in fleet.identities');
  const write = inSequence((files) =>
    writeDurably(files).catch((error: unknown) => {
      throw new UserError(
        `The agents' files in ${root} cannot be written: ${messageOf(error)}; make the disk writable, or set another file in fleet.identities.`,
      );
    }),
  );
  return {
    loadAll: (hostNames) => {
      const present = new Set(namesIn(root, 'agents'));
      // Holds each text once for ten thousand agents with keys of one pool and one authority.
      const shared = memoized(1000, (text) => text);
      const found = new Map<string, AgentFileTexts>();
      if (present.size === 0) return found;
      for (const hostName of hostNames) {
        if (!present.has(hostName)) continue;
        const files = filesIn(join(root, hostName), hostName, shared);
        if (files !== undefined) found.set(hostName, files);
      }
      return found;
    },
    save: (entries) =>
      write(entries.flatMap(({ hostName, files }) => textFiles(join(root, hostName), Object.entries(files)))),
    loadKeys: (type) => {
      const keys = new Map<number, string>();
      const names = namesIn(keyFolder, 'the key pool');
      sweepParts(keyFolder, names);
      for (const name of names) {
        const number = Number(new RegExp(`^${type}-(\\d+)\\.pem$`).exec(name)?.[1]);
        if (Number.isInteger(number)) keys.set(number, textOf(join(keyFolder, name), 'the key pool'));
      }
      return keys;
    },
    saveKeys: (type, keys) => {
      const named = [...keys].map(([number, text]) => [keyName(type, number), text] as const);
      return write(textFiles(keyFolder, named));
    },
    where: (hostName, file) => join(root, hostName, file),
    whereKey: (type, number) => join(keyFolder, keyName(type, number)),
  };
}

function keyName(type: string, number: number): string {
  return `${type}-${number}.pem`;
}

function textFiles(folder: string, files: readonly (readonly [name: string, text: string])[]): readonly TextFile[] {
  return files.map(([name, text]) => ({ folder, name, text }));
}

function filesIn(folder: string, hostName: string, shared: (text: string) => string): AgentFileTexts | undefined {
  const owner = `agent ${hostName}`;
  const all = namesIn(folder, owner);
  sweepParts(folder, all);
  const names = all.filter(isAgentFile);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, shared(textOf(join(folder, name), owner))]));
}

function namesIn(folder: string, owner: string): readonly string[] {
  return reading(folder, owner, () => readdirSync(folder)) ?? [];
}

function textOf(path: string, owner: string): string {
  return reading(path, owner, () => fileText(readFileSync(path))) ?? '';
}

/** `undefined` if the path does not exist. */
function reading<T>(path: string, owner: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new UserError(
      `The stored files of ${owner} cannot be used: ${path} cannot be read: ${messageOf(error)}; make it readable for this user, or delete it to start without it.`,
    );
  }
}

/** Writes one batch after the other: the last text passed for a file wins. What is passed during a write shares flushes in the next batch. */
function inSequence(write: (files: readonly TextFile[]) => Promise<void>) {
  let last: Promise<void> = Promise.resolve();
  let next: { files: Map<string, TextFile>; written: Promise<void> } | undefined;
  return (files: readonly TextFile[]): Promise<void> => {
    if (files.length === 0) return Promise.resolve();
    if (next === undefined) {
      const batch = new Map<string, TextFile>();
      const begin = () => {
        next = undefined;
        return write([...batch.values()]);
      };
      const written = last.then(begin);
      next = { files: batch, written };
      // A failed write rejects its waiters; later writes are independent.
      last = written.catch(() => {});
    }
    for (const file of files) next.files.set(join(file.folder, file.name), file);
    return next.written;
  };
}
