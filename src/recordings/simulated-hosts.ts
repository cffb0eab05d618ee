import { zstdCompressSync } from 'node:zlib';
import { UserError } from '../base/kernel/errors.ts';
import type { RecordedBuild, RecordedHost, RecordedHosts } from '../hosts/recorded/recorded-hosts.ts';
import { levelsOf, recordedFigures } from './levels.ts';
import { verbatimPartsIn } from './odd-figures.ts';
import { type DocumentKind, readDocument } from './reading.ts';

export type KeptDocument = {
  readonly host: string;
  readonly kind: DocumentKind;
  readonly instantMs: number;
  readonly text: string;
};

/** Limits for builds, per host and in total; every host has one. */
const MAX_BUILDS_PER_HOST = 4;
const MAX_BUILDS = 160;
/**
 * Limits for the documents that levels are computed from, per host and in total, spread over the recorded time. More documents take
 * time and hardly change the levels.
 */
const MAX_FITTED_PER_HOST = 700;
const MAX_FITTED = 4000;

const SYSTEMS: Readonly<Record<string, RecordedHost['system']>> = { windows: 'windows', darwin: 'macos' };

/**
 * The hosts of a recording that can be simulated. Documents are read one after another.
 * @param name of the recording, for messages
 * @throws UserError if there are no hosts, or if a document is not one that an agent writes
 */
export function recordedHosts(
  documents: readonly KeptDocument[],
  { name, hash }: { readonly name: string; readonly hash: string },
): RecordedHosts {
  const byHost = [...Map.groupBy(documents, ({ host }) => host).values()].filter((own) =>
    own.some(({ kind }) => kind === 'checkdata'),
  );
  if (byHost.length === 0) {
    throw new UserError(
      `The recording ${name} contains no check data: expected that of at least one host; add some with muster record.`,
    );
  }
  const each = (most: number, mostOfAll: number) => Math.max(1, Math.min(most, Math.floor(mostOfAll / byHost.length)));
  const counts = {
    builds: each(MAX_BUILDS_PER_HOST, MAX_BUILDS),
    fitted: each(MAX_FITTED_PER_HOST, MAX_FITTED),
  };
  return { hash, hosts: byHost.map((own) => hostOf(own, counts, name)) };
}

type MostDocuments = { readonly builds: number; readonly fitted: number };

function hostOf(documents: readonly KeptDocument[], counts: MostDocuments, recording: string): RecordedHost {
  const inOrder = documents.toSorted((a, b) => a.instantMs - b.instantMs);
  const checkdata = inOrder.filter(({ kind }) => kind === 'checkdata');
  const builds = evenlySpread(checkdata, counts.builds).map((one) => buildOf(one, recording));
  const figures = evenlySpread(checkdata, counts.fitted).map((one) =>
    readFrom(one, recording, (document) => recordedFigures(document, one.instantMs)),
  );
  const packages = packagesIn(inOrder, recording);
  const [{ host: name } = { host: '' }] = documents;
  return {
    name,
    system: SYSTEMS[String(figures[0]?.goos)] ?? 'linux',
    checkdata: builds,
    packages,
    levels: levelsOf(figures),
  };
}

/** Number of package documents, from the newest, that are searched for a successful collection. */
const MAX_FAILED = 10;

/** The last package document of a host, preferably from a successful collection. */
function packagesIn(documents: readonly KeptDocument[], recording: string): RecordedBuild | undefined {
  const all = documents.filter(({ kind }) => kind === 'packages').toReversed();
  const isWhole = (one: KeptDocument) => readFrom(one, recording, (it) => !(it as Packages).Stats.LastError);
  const whole = all.length > 1 ? all.slice(0, MAX_FAILED).find(isWhole) : undefined;
  const chosen = whole ?? all[0];
  return chosen && buildOf(chosen, recording);
}

type Packages = { readonly Stats: { readonly LastError: string | null } };

/** Validates a document that becomes a build: an invalid one would end a run. */
function buildOf(document: KeptDocument, recording: string): RecordedBuild {
  const read = readDocument(document.text);
  if (read.kind === 'document' && read.document.kind === document.kind) {
    const { text, odd } = read.document;
    const body = zstdCompressSync(text);
    const compressed = new Uint8Array(new SharedArrayBuffer(body.length));
    compressed.set(body);
    return { compressed, sizeBytes: Buffer.byteLength(text), verbatimParts: verbatimPartsIn(odd) };
  }
  throw notAsIndexed(document, recording);
}

/** Reads something from a document without validating it as a build. */
function readFrom<Value>(
  document: KeptDocument,
  recording: string,
  read: (members: { readonly [name: string]: unknown }) => Value,
): Value {
  try {
    return read(JSON.parse(document.text));
  } catch (error) {
    throw error instanceof UserError ? error : notAsIndexed(document, recording);
  }
}

function notAsIndexed({ host, kind, instantMs }: KeptDocument, recording: string): UserError {
  const what = kind === 'checkdata' ? 'check data' : 'package information';
  const when = new Date(instantMs).toISOString();
  return new UserError(
    `The recording ${recording} should contain ${what} of ${host} at ${when} according to its index, but does not; if the file was changed, import the recording into a new folder, which skips invalid documents.`,
  );
}

/** Evenly distributed elements, from the first to the last. */
function evenlySpread<One>(all: readonly One[], count: number): readonly One[] {
  if (all.length <= count) return all;
  const indices = Array.from({ length: count }, (_, n) => Math.round((n * (all.length - 1)) / Math.max(1, count - 1)));
  return indices.flatMap((index) => all[index] ?? []);
}
