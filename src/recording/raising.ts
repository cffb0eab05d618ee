import { UserError } from '../kernel/errors.ts';
import type { RecordedHost, RecordedHosts } from '../machine/recorded/recorded-hosts.ts';
import { levelsOf } from './fitting.ts';
import type { DocumentKind } from './reading.ts';

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

const SYSTEMS = { linux: 'linux', windows: 'windows', darwin: 'macos' } as const;

/**
 * The hosts that can be raised from a recording.
 * @param name of the recording, for messages.
 * @throws UserError if there are none.
 */
export function recordedHosts(
  documents: readonly KeptDocument[],
  { name, hash }: { readonly name: string; readonly hash: string },
): RecordedHosts {
  const byHost = [...Map.groupBy(documents, ({ host }) => host)].filter(([, own]) =>
    own.some(({ kind }) => kind === 'checkdata'),
  );
  if (byHost.length === 0) {
    throw new UserError(`The recording ${name} has no check data of any host; expected those of one host or more.`);
  }
  const builds = Math.max(1, Math.min(MOST_BUILDS_OF_A_HOST, Math.floor(MOST_BUILDS / byHost.length)));
  return { hash, hosts: byHost.map(([host, own]) => hostOf(host, own, builds)) };
}

function hostOf(name: string, documents: readonly KeptDocument[], builds: number): RecordedHost {
  const inOrder = documents.toSorted((a, b) => a.instantMs - b.instantMs);
  const checkdata = inOrder.filter(({ kind }) => kind === 'checkdata').map(({ text }) => text);
  const parsed = checkdata.map((text) => JSON.parse(text) as { agent: { goos: keyof typeof SYSTEMS } });
  const packages = inOrder.findLast(({ kind }) => kind === 'packages')?.text;
  const system = SYSTEMS[parsed[0]?.agent.goos ?? 'linux'];
  return { name, system, checkdata: spreadOver(checkdata, builds), packages, levels: levelsOf(parsed) };
}

/** So many of them, from the first to the last. */
function spreadOver(texts: readonly string[], count: number): readonly string[] {
  if (texts.length <= count) return texts;
  const places = Array.from({ length: count }, (_, n) => Math.round((n * (texts.length - 1)) / Math.max(1, count - 1)));
  return places.flatMap((place) => texts[place] ?? []);
}
