import { createHash, createHmac } from 'node:crypto';
import { UserError } from '../../base/kernel/errors.ts';
import { readHostData } from '../../base/storage/host-data.ts';
import { sanitizedDocument } from '../document-texts.ts';
import type { SanitizerRules, SanitizerSettings } from '../harmless.ts';
import { createMachineNumbering, type MachineNumbering, type MachineTraits } from '../machines.ts';
import type { OddFigure } from '../odd-figures.ts';
import { type DocumentFault, type DocumentKind, faultText, readDocument } from '../reading.ts';
import { createReplacer } from '../replacing.ts';
import { vocabularyOf } from '../vocabulary.ts';
import { openRecording, type RecordingWriter, readHostRecording } from './recording-folder.ts';

/** A text that may be a document, and its source. */
type Offer = {
  readonly text: string;
  /** Identifies the host, unless the document is a push. */
  readonly source: (kind: DocumentKind) => string;
  /** Arrival of a push, in Unix ms; `undefined` for documents from files and polls. */
  readonly arrivedMs: number | undefined;
  /** Secrets outside of the document, such as an API key. */
  readonly secrets: readonly string[];
};

export type Taken =
  | {
      readonly kind: 'kept';
      readonly host: string;
      readonly document: DocumentKind;
      readonly odd: readonly OddFigure[];
      /** The host with the same name or UUID, from which the machine is kept apart since this document. */
      readonly apartFrom: string | undefined;
    }
  /** Only the time of the push was recorded; the recording has the document already; taking it in took longer than it may. */
  | { readonly kind: 'seen' | 'known' | 'slow'; readonly host: string; readonly document: DocumentKind }
  | { readonly kind: 'fault'; readonly fault: DocumentFault };

/** A line about a document that was taken; `topic` is the same for the same line about later documents of its host. */
type Note = { readonly topic: string; readonly line: string };

const MAX_NOTES = 20;

/** What users should know about a document that was taken. */
export function notesOf(taken: Taken): readonly Note[] {
  if (taken.kind !== 'kept') return [];
  const { host, odd, apartFrom } = taken;
  const apart = `another machine than ${apartFrom}, by its boot or hardware; it is kept apart as ${host}`;
  const notes = odd.map((one): Note => {
    return { topic: `${host} ${one.place}`, line: `${faultText(one)}; ${one.follows}` };
  });
  const more = notes.length - MAX_NOTES;
  return [
    ...(apartFrom === undefined ? [] : [{ topic: `${host} apart`, line: apart }]),
    ...notes.slice(0, MAX_NOTES),
    ...(more > 0 ? [{ topic: `${host} more`, line: `${more} more odd figures` }] : []),
  ];
}

export type RecordingSummary = { readonly hosts: number; readonly checkdata: number; readonly packages: number };

/** A recording to which documents are added. */
export type Intake = Pick<RecordingWriter, 'save' | 'close' | 'tornBytes' | 'hosts'> & {
  /** Validates a document, replaces what is not known to be harmless, and assigns it to a host. */
  readonly take: (offer: Offer) => Taken;
  readonly summary: () => RecordingSummary;
};

/** How documents are recorded; plain data that crosses threads. */
export type IntakeSettings = {
  /** Keeps at most one pushed document per host and kind in this interval. */
  readonly everyMs: number;
  /** Longest processor time for a document, in ms. */
  readonly limitMs: number;
  /** Key for replacements. It is not stored. */
  readonly key: string;
  readonly anonymous: SanitizerSettings['anonymous'];
  readonly rules: SanitizerRules;
};

/**
 * Opens a recording to add documents. An anonymous recording must be new: the key of an earlier one is not kept.
 * @throws UserError as `openRecording` does, or if replacements would be next to original names or to other replacements
 */
export function openIntake(folder: string, settings: IntakeSettings): Intake {
  const { everyMs, limitMs, key: secretKey, anonymous } = settings;
  const writer = openedFor(folder, anonymous);
  const { hosts, index, save, close, tornBytes } = writer;
  const sanitizer = sanitizerSettings(settings);
  const isDue = createPace(everyMs);
  const earlier = hosts.size === 0 ? [] : readHostRecording(folder).documents;
  const keyOf = (host: string, kind: DocumentKind, instantMs: number) => `${host} ${kind} ${instantMs}`;
  // Documents without a time are never the same.
  const known = new Set(earlier.map(({ host, kind, instantMs }) => keyOf(host, kind, instantMs)));
  const machines = new Map<string, MachineNumbering>();
  const idOf = (identity: string, number: number) => {
    // Distinguishes identities without revealing them.
    const text = `${anonymous ? secretKey : ''}${identity}${number === 0 ? '' : ` ${number + 1}`}`;
    return createHash('sha256').update(text).digest('hex').slice(0, 16);
  };
  /** Machines that an earlier command recorded are known by their last check data. */
  const numberingOf = (identity: string): MachineNumbering => {
    const known = machines.get(identity);
    if (known !== undefined) return known;
    const numberOf = createMachineNumbering();
    machines.set(identity, numberOf);
    for (let number = 0; ; number++) {
      const host = hosts.get(idOf(identity, number));
      if (host === undefined) return numberOf;
      const last = earlier.findLast((one) => one.host === host && one.kind === 'checkdata');
      const read = last && readDocument(last.text);
      if (read?.kind === 'document') numberOf(read.document.machine);
    }
  };
  const hostOf = (agentUuid: string | undefined, source: string, machine: MachineTraits) => {
    const identity = agentUuid ?? `source ${source}`;
    const number = numberingOf(identity)(machine);
    const id = idOf(identity, number);
    const found = hosts.get(id);
    if (found !== undefined) return { host: found, apartFrom: undefined };
    const host = freeName(hosts, anonymous || agentUuid !== undefined ? undefined : source);
    writer.addHost(host, id);
    return { host, apartFrom: number === 0 ? undefined : hosts.get(idOf(identity, 0)) };
  };
  return {
    save,
    close,
    tornBytes,
    hosts,
    take({ text, source, arrivedMs, secrets }) {
      const startedMs = workedMs();
      const isLate = () => workedMs() - startedMs > limitMs;
      const read = readDocument(text);
      if (read.kind === 'fault') return read;
      const { kind: document, agentUuid, machine, odd, instantMs: statedMs } = read.document;
      const instantMs = statedMs || Math.round(arrivedMs ?? 0);
      const { host, apartFrom } = hostOf(agentUuid, source(document), machine);
      if (arrivedMs !== undefined) {
        writer.addPush({ host, document, instantMs: Math.round(arrivedMs) });
        if (!isDue(`${host} ${document}`, arrivedMs)) return { kind: 'seen', host, document };
      }
      const key = keyOf(host, document, instantMs);
      if (instantMs > 0 && known.has(key)) return { kind: 'known', host, document };
      const allSecrets = [...secrets, ...read.document.secrets];
      const sanitized = sanitizedInTime(isLate, (seen) =>
        sanitizedDocument(read.document.text, { ...sanitizer, seen }, allSecrets),
      );
      if (sanitized === undefined) return { kind: 'slow', host, document };
      known.add(key);
      writer.addDocument({ host, kind: document, instantMs, text: sanitized.text, secrets: sanitized.replaced });
      return { kind: 'kept', host, document, odd, apartFrom };
    },
    summary() {
      const recorded = index().hosts;
      const all = recorded.flatMap((host) => host.documents);
      const checkdata = all.filter(({ document }) => document === 'checkdata').length;
      return { hosts: recorded.length, checkdata, packages: all.length - checkdata };
    },
  };
}

/** Intervals are counted from the first push, and begin half an interval before it, so pushes may be somewhat early or late. */
function createPace(everyMs: number): (key: string, arrivedMs: number) => boolean {
  const first = new Map<string, number>();
  const slots = new Map<string, number>();
  return (key, arrivedMs) => {
    const startedMs = first.get(key) ?? arrivedMs;
    first.set(key, startedMs);
    const slot = Math.floor((arrivedMs - startedMs) / everyMs + 0.5);
    if (slot <= (slots.get(key) ?? -1)) return false;
    slots.set(key, slot);
    return true;
  };
}

/** Processor time of this thread: waiting for a busy machine is not the document's fault. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

class TooLate extends Error {}

/** `undefined` if it takes too long. `seen` is called after each text. */
function sanitizedInTime<Result>(isLate: () => boolean, sanitize: (seen: () => void) => Result): Result | undefined {
  const seen = () => {
    if (isLate()) throw new TooLate();
  };
  try {
    const sanitized = sanitize(seen);
    return isLate() ? undefined : sanitized;
  } catch (error) {
    if (error instanceof TooLate) return undefined;
    throw error;
  }
}

function openedFor(folder: string, isAnonymous: boolean): RecordingWriter {
  const writer = openRecording(folder, isAnonymous);
  const { anonymized, hosts, close } = writer;
  if (anonymized === isAnonymous && (!isAnonymous || hosts.size === 0)) return writer;
  close();
  const there = anonymized ? 'is anonymized' : 'contains original names';
  const expected = isAnonymous ? 'a new folder' : 'one with original names';
  throw new UserError(`The recording ${folder} ${there}: expected ${expected}; choose another with -o.`);
}

function sanitizerSettings({ key, anonymous, rules }: IntakeSettings): SanitizerSettings {
  const vocabulary = vocabularyOf(readHostData().tables);
  const hash = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  return { vocabulary, rules, anonymous, replace: createReplacer(hash, vocabulary.identifiers) };
}

function freeName(hosts: ReadonlyMap<string, string>, wanted: string | undefined): string {
  const taken = new Set(hosts.values());
  for (let number = 1; ; number++) {
    const name = wanted === undefined ? `host-${number}` : number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(name)) return name;
  }
}

/** The kind of a document in the name of its file, with a number after it; and the time. */
const KINDS = { checkdata: 'check-?data', packages: 'packages(?:-?info)?|package[-_]?info' } as const;
const TIME =
  /[-_. ]20\d{2}(?:-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?=[T_-]\d))(?:[T_ -][0-2]\d[-:._]?[0-5]\d[\d:._+-]*Z?)?$/;

/** The host of a file: its name without the kind of its document and the time, or, if nothing remains, the name of its folder. */
export function hostOfFile(path: string, kind: DocumentKind): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  const name = (parts.pop() ?? '').replace(/(?:\.(?:json|txt|gz))+$/i, '').replace(TIME, '');
  const last = new RegExp(`(?:^|[-_. ])(?:${KINDS[kind]})(?:[-_. ]\\d{1,4})?$`, 'i');
  const first = new RegExp(`^(?:${KINDS[kind]})[-_. ]`, 'i');
  const host = name.replace(last, '').replace(first, '').replace(TIME, '');
  return host === '' ? (parts.pop() ?? 'host') : host;
}
