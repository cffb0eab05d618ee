import { createHash, createHmac } from 'node:crypto';
import { UserError } from '../../ground/kernel/errors.ts';
import { readHostData } from '../../ground/storage/host-data.ts';
import { sharedDocument } from '../document-texts.ts';
import { type DocumentFault, type DocumentKind, readDocument } from '../reading.ts';
import { createReplacer } from '../replacing.ts';
import type { Sharing, SharingRules } from '../sharing.ts';
import { vocabularyOf } from '../vocabulary.ts';
import { openRecording, type RecordingWriter } from './recording-folder.ts';

/** A text that may be a document, and its source. */
type Offer = {
  readonly text: string;
  /** Identifies the host, unless the document is a push. */
  readonly source: string;
  /** Arrival of a push, in Unix ms; `undefined` for documents from files and polls. */
  readonly arrivedMs: number | undefined;
  /** Secrets outside of the document, such as an API key. */
  readonly secrets: readonly string[];
};

export type Taken =
  | { readonly kind: 'kept'; readonly host: string; readonly document: DocumentKind }
  /** The time of the push was recorded, but not its document. */
  | { readonly kind: 'seen'; readonly host: string; readonly document: DocumentKind }
  /** The recording already contains this document. */
  | { readonly kind: 'known'; readonly host: string; readonly document: DocumentKind }
  /** Taking in the document took longer than it may. */
  | { readonly kind: 'slow'; readonly host: string; readonly document: DocumentKind }
  | { readonly kind: 'fault'; readonly fault: DocumentFault };

/** The contents of a recording. */
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
  /** Anonymous recordings also replace names and addresses. */
  readonly anonymous: boolean;
  readonly rules: SharingRules;
};

/**
 * Opens a recording to add documents. An anonymous recording must be new: the key of an earlier one is not kept.
 * @throws UserError as `openRecording` does, or if replacements would be next to original names or to other replacements
 */
export function openIntake(folder: string, settings: IntakeSettings): Intake {
  const { everyMs, limitMs, key: secretKey, anonymous } = settings;
  const writer = openedFor(folder, anonymous);
  const { hosts, index, save, close, tornBytes } = writer;
  const sharing = sharingWith(settings);
  const isDue = createPace(everyMs);
  const documents = index().hosts.flatMap(({ name, documents }) => documents.map((one) => ({ name, ...one })));
  const instants = new Set(documents.map(({ name, document, instantMs }) => `${name} ${document} ${instantMs}`));
  const hostOf = (identity: string, name: string | undefined): string => {
    // Distinguishes identities without revealing them.
    const id = createHash('sha256')
      .update(`${anonymous ? secretKey : ''}${identity}`)
      .digest('hex')
      .slice(0, 16);
    const known = hosts.get(id);
    if (known !== undefined) return known;
    const host = freeName(hosts, name);
    writer.addHost(host, id);
    return host;
  };
  return {
    ...{ save, close, tornBytes, hosts },
    take({ text, source, arrivedMs, secrets }) {
      const startedMs = workedMs();
      const isLate = () => workedMs() - startedMs > limitMs;
      const read = readDocument(text);
      if (read.kind === 'fault') return read;
      const { kind: document, agentUuid, instantMs } = read.document;
      const host = hostOf(agentUuid ?? `source ${source}`, anonymous || agentUuid !== undefined ? undefined : source);
      const key = `${host} ${document}`;
      if (arrivedMs !== undefined) {
        writer.addPush({ host, document, instantMs: Math.round(arrivedMs) });
        if (!isDue(key, arrivedMs)) return { kind: 'seen', host, document };
      }
      if (instants.has(`${key} ${instantMs}`)) return { kind: 'known', host, document };
      const shared = sharedInTime(read.document.text, sharing, {
        secrets: [...secrets, ...read.document.secrets],
        isLate,
      });
      if (shared === undefined) return { kind: 'slow', host, document };
      instants.add(`${key} ${instantMs}`);
      writer.addDocument({ host, kind: document, instantMs, text: shared.text, secrets: shared.replaced });
      return { kind: 'kept', host, document };
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

/** `undefined` if it takes too long. */
function sharedInTime(
  text: string,
  sharing: Sharing,
  { secrets, isLate }: { readonly secrets: readonly string[]; readonly isLate: () => boolean },
): ReturnType<typeof sharedDocument> | undefined {
  const alive = () => {
    if (isLate()) throw new TooLate();
  };
  try {
    const shared = sharedDocument(text, sharing, { secrets, alive });
    return isLate() ? undefined : shared;
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

function sharingWith({ key, anonymous, rules }: IntakeSettings): Sharing {
  const replace = createReplacer((text) => createHmac('sha256', key).update(text).digest('hex'));
  return { vocabulary: vocabularyOf(readHostData().tables), rules, anonymous, replace };
}

function freeName(hosts: ReadonlyMap<string, string>, wanted: string | undefined): string {
  const taken = new Set(hosts.values());
  for (let number = 1; ; number++) {
    const name = wanted === undefined ? `host-${number}` : number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(name)) return name;
  }
}

/** The kind of document in a file name, with everything after it; the same at the start of a name; and the time. */
const KIND = /(^|[-_. ])(check-?data|packages?(-?info)?)([-_. ].*)?$/i;
const KIND_FIRST = /^(check-?data|packages?(-?info)?)[-_. ]/i;
const TIME = /[-_. ]\d{4}-?\d{2}-?\d{2}[\dTZ:_.+-]*$/;

/** The host of a file: its name without the kind of document and the time, or, if nothing remains, the name of its folder. */
export function hostOfFile(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  const name = (parts.pop() ?? '').replace(/\.(json|txt)$/i, '').replace(KIND_FIRST, '');
  const host = name.replace(KIND, '').replace(TIME, '');
  return host === '' ? (parts.pop() ?? 'host') : host;
}
