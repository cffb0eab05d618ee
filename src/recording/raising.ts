import { UserError } from '../kernel/errors.ts';
import type { RecordedHost, RecordedHosts } from '../machine/recorded/recorded-hosts.ts';
import { levelsOf, recordedFigures } from './fitting.ts';
import { type DocumentKind, readDocument } from './reading.ts';

/** A document of a recording. */
export type KeptDocument = {
  /** The name of its host. */
  readonly host: string;
  readonly kind: DocumentKind;
  readonly instantMs: number;
  readonly text: string;
};

/** Of each host so many documents become builds, and of all hosts so many: each takes memory of its own in every thread. */
const MOST_BUILDS_OF_A_HOST = 4;
const MOST_BUILDS = 160;
/** Levels are taken from so many documents of a host, and of all hosts, spread over their time: more say the same, and take time. */
const MOST_FITTED_OF_A_HOST = 700;
const MOST_FITTED = 4000;

const SYSTEMS = { linux: 'linux', windows: 'windows', darwin: 'macos' } as const;

/**
 * The hosts that can be raised from a recording. Of its documents one after the other is read.
 * @param name of the recording, for messages.
 * @throws UserError if there are none, or one is not what an agent writes.
 */
export function recordedHosts(
  documents: readonly KeptDocument[],
  { name, hash }: { readonly name: string; readonly hash: string },
): RecordedHosts {
  const byHost = [...Map.groupBy(documents, ({ host }) => host).values()].filter((own) =>
    own.some(({ kind }) => kind === 'checkdata'),
  );
  if (byHost.length === 0) {
    throw new UserError(`The recording ${name} has no check data of any host; expected at least one host.`);
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

/** Collections of packages that failed are looked behind so far. */
const MOST_FAILED = 10;

/** The last that a host told of its packages, rather one of a collection that did not fail. */
function packagesIn(documents: readonly KeptDocument[], recording: string): string | undefined {
  const all = documents.filter(({ kind }) => kind === 'packages').toReversed();
  const whole = all
    .slice(0, MOST_FAILED)
    .find((one) => taken(one, recording, (it) => !(it as Packages).Stats.LastError));
  const chosen = whole ?? all[0];
  return chosen && checked(chosen, recording);
}

type Packages = { readonly Stats: { readonly LastError: string | null } };

/** The text of a document that hosts are made from: one that the recorder has not written would end a run. */
function checked(document: KeptDocument, recording: string): string {
  const { text } = document;
  const read = readDocument(text);
  if (read.kind === 'document' && read.document.kind === document.kind) return text;
  throw strange(document, recording);
}

/** Takes something from a document, which need not be looked through as builds are. */
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
    `The recording ${recording} has no ${what} of ${host} at ${when}, as its index says; was the file changed? Import the recording into a new folder, which skips what is not a document.`,
  );
}

/** So many of them, from the first to the last. */
function spreadOver<One>(all: readonly One[], count: number): readonly One[] {
  if (all.length <= count) return all;
  const places = Array.from({ length: count }, (_, n) => Math.round((n * (all.length - 1)) / Math.max(1, count - 1)));
  return places.flatMap((place) => all[place] ?? []);
}
