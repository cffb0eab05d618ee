import { UserError } from '../ground/kernel/errors.ts';
import type { RecordedHost, RecordedHosts } from '../hosts/recorded/recorded-hosts.ts';
import { levelsOf, recordedFigures } from './fitting.ts';
import { type DocumentKind, readDocument } from './reading.ts';

export type KeptDocument = {
  /** Name of its host. */
  readonly host: string;
  readonly kind: DocumentKind;
  readonly instantMs: number;
  readonly text: string;
};

/** Limits for builds, per host and in total: each build takes memory in every thread. */
const MOST_BUILDS_OF_A_HOST = 4;
const MOST_BUILDS = 160;
/**
 * Limits for the documents that levels are computed from, per host and in total, spread over the recorded time. More documents take
 * time and hardly change the levels.
 */
const MOST_FITTED_OF_A_HOST = 700;
const MOST_FITTED = 4000;

const SYSTEMS = { linux: 'linux', windows: 'windows', darwin: 'macos' } as const;

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
    builds: each(MOST_BUILDS_OF_A_HOST, MOST_BUILDS),
    fitted: each(MOST_FITTED_OF_A_HOST, MOST_FITTED),
  };
  return { hash, hosts: byHost.map((own) => hostOf(own, counts, name)) };
}

type Counts = { readonly builds: number; readonly fitted: number };

function hostOf(documents: readonly KeptDocument[], counts: Counts, recording: string): RecordedHost {
  const inOrder = documents.toSorted((a, b) => a.instantMs - b.instantMs);
  const checkdata = inOrder.filter(({ kind }) => kind === 'checkdata');
  const builds = spreadOver(checkdata, counts.builds).map((one) => checked(one, recording));
  const figures = spreadOver(checkdata, counts.fitted).map((one) =>
    taken(one, recording, (document) => recordedFigures(document, one.instantMs)),
  );
  const packages = packagesIn(inOrder, recording);
  const [first = '{}'] = builds;
  const { goos } = (JSON.parse(first) as { readonly agent: { readonly goos: keyof typeof SYSTEMS } }).agent;
  const [{ host: name } = { host: '' }] = documents;
  return { name, system: SYSTEMS[goos], checkdata: builds, packages, levels: levelsOf(figures) };
}

/** Number of package documents, from the newest, that are searched for a successful collection. */
const MOST_FAILED = 10;

/** The last package document of a host, preferably from a successful collection. */
function packagesIn(documents: readonly KeptDocument[], recording: string): string | undefined {
  const all = documents.filter(({ kind }) => kind === 'packages').toReversed();
  const whole = all
    .slice(0, MOST_FAILED)
    .find((one) => taken(one, recording, (it) => !(it as Packages).Stats.LastError));
  const chosen = whole ?? all[0];
  return chosen && checked(chosen, recording);
}

type Packages = { readonly Stats: { readonly LastError: string | null } };

/** Validates a document that becomes a build: an invalid one would end a run. */
function checked(document: KeptDocument, recording: string): string {
  const { text } = document;
  const read = readDocument(text);
  if (read.kind === 'document' && read.document.kind === document.kind) return text;
  throw strange(document, recording);
}

/** Reads something from a document without validating it as a build. */
function taken<Value>(
  document: KeptDocument,
  recording: string,
  take: (members: { readonly [name: string]: unknown }) => Value,
): Value {
  try {
    return take(JSON.parse(document.text));
  } catch (error) {
    throw error instanceof UserError ? error : strange(document, recording);
  }
}

function strange({ host, kind, instantMs }: KeptDocument, recording: string): UserError {
  const what = kind === 'checkdata' ? 'check data' : 'package information';
  const when = new Date(instantMs).toISOString();
  return new UserError(
    `The recording ${recording} should contain ${what} of ${host} at ${when} according to its index, but does not; if the file was changed, import the recording into a new folder, which skips invalid documents.`,
  );
}

/** Evenly distributed elements, from the first to the last. */
function spreadOver<One>(all: readonly One[], count: number): readonly One[] {
  if (all.length <= count) return all;
  const places = Array.from({ length: count }, (_, n) => Math.round((n * (all.length - 1)) / Math.max(1, count - 1)));
  return places.flatMap((place) => all[place] ?? []);
}
