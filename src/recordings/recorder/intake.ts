import { createHash, createHmac } from 'node:crypto';
import { UserError } from '../../ground/kernel/errors.ts';
import { readHostData } from '../../ground/storage/host-data.ts';
import { type Anonymizer, createAnonymizer } from '../anonymize.ts';
import { publicWords } from '../personal-data.ts';
import { type DocumentFault, type DocumentKind, readDocument } from '../reading.ts';
import { documentWithoutSecrets } from '../secrets.ts';
import { openRecording, type RecordingWriter } from './recording-folder.ts';

/** A text that may be a document, and its source. */
type Offer = {
  readonly text: string;
  /** Identifies the host, unless the document is a push. */
  readonly source: string;
  /** Arrival of a push, in Unix ms; `undefined` for documents from files and polls. */
  readonly arrivedMs: number | undefined;
  /** Secrets outside of the document that must not be kept, such as an API key. */
  readonly secrets: readonly string[];
};

export type Taken =
  | { readonly kind: 'kept'; readonly host: string; readonly document: DocumentKind; readonly secrets: number }
  /** The time of the push was recorded, but not its document. */
  | { readonly kind: 'seen'; readonly host: string; readonly document: DocumentKind }
  /** The recording already contains this document. */
  | { readonly kind: 'known'; readonly host: string; readonly document: DocumentKind }
  | { readonly kind: 'fault'; readonly fault: DocumentFault };

/** The contents of a recording. */
export type RecordingSummary = { readonly hosts: number; readonly checkdata: number; readonly packages: number };

/** A recording to which documents are added. */
export type Intake = Pick<RecordingWriter, 'save' | 'close' | 'tornBytes' | 'hosts'> & {
  /** Validates a document, removes secrets, and assigns it to a host. */
  readonly take: (offer: Offer) => Taken;
  /** Collects the names in a document, to replace them in later ones. */
  readonly learn: (text: string) => void;
  readonly summary: () => RecordingSummary;
};

type Settings = {
  /** Keeps at most one pushed document per host and kind in this interval. */
  readonly everyMs: number;
  /** Key for the replacement of names; `undefined` keeps the names. */
  readonly anonymizeKey: string | undefined;
};

/**
 * Opens a recording to add documents. With a key, they are anonymized, so the recording must be new: the key of an earlier one is not kept.
 * @throws UserError as `openRecording` does, or if replacements would be next to original names or to other replacements
 */
export function openIntake(folder: string, { everyMs, anonymizeKey }: Settings): Intake {
  const writer = openedFor(folder, anonymizeKey !== undefined);
  const { hosts, anonymized, index, save, close, tornBytes } = writer;
  const anonymizer = anonymizeKey === undefined ? undefined : anonymizerWith(anonymizeKey);
  const keptMs = new Map<string, number>();
  const documents = index().hosts.flatMap(({ name, documents }) => documents.map((one) => ({ name, ...one })));
  const instants = new Set(documents.map(({ name, document, instantMs }) => `${name} ${document} ${instantMs}`));
  const hostOf = (identity: string, name: string | undefined): string => {
    // Distinguishes identities without revealing them.
    const id = createHash('sha256')
      .update(`${anonymizeKey ?? ''}${identity}`)
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
      const read = readDocument(text);
      if (read.kind === 'fault') return read;
      const { kind: document, agentUuid, instantMs } = read.document;
      const host = hostOf(agentUuid ?? `source ${source}`, anonymized || agentUuid !== undefined ? undefined : source);
      const key = `${host} ${document}`;
      if (arrivedMs !== undefined) {
        writer.addPush({ host, document, instantMs: Math.round(arrivedMs) });
        if (arrivedMs - (keptMs.get(key) ?? Number.NEGATIVE_INFINITY) < everyMs)
          return { kind: 'seen', host, document };
        keptMs.set(key, arrivedMs);
      }
      if (instants.has(`${key} ${instantMs}`)) return { kind: 'known', host, document };
      instants.add(`${key} ${instantMs}`);
      const clean = documentWithoutSecrets(read.document.text, [...secrets, ...read.document.secrets]);
      const kept = anonymizer?.rewritten(clean.text) ?? clean.text;
      writer.addDocument({ host, kind: document, instantMs, text: kept, secrets: clean.removed });
      return { kind: 'kept', host, document, secrets: clean.removed };
    },
    learn: (text) => anonymizer?.learn(text),
    summary() {
      const recorded = index().hosts;
      const all = recorded.flatMap((host) => host.documents);
      const checkdata = all.filter(({ document }) => document === 'checkdata').length;
      return { hosts: recorded.length, checkdata, packages: all.length - checkdata };
    },
  };
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

function anonymizerWith(key: string): Anonymizer {
  const words = publicWords(readHostData().tables);
  return createAnonymizer(words, (text) => createHmac('sha256', key).update(text).digest('hex'));
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
