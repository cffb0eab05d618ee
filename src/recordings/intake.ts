import type { RecordingWriter } from './folder.ts';
import { type DocumentFault, type DocumentKind, readDocument } from './reading.ts';
import { documentWithoutSecrets } from './secrets.ts';

/** A text that may be a document, and its source. */
export type Offer = {
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

export type Intake = { readonly take: (offer: Offer) => Taken };

export type IntakeInput = {
  readonly writer: RecordingWriter;
  /** Returns an id that distinguishes hosts without revealing them. */
  readonly digest: (text: string) => string;
  /** Keeps at most one pushed document per host and kind in this interval. */
  readonly everyMs: number;
  /** Transforms a document before it is written. */
  readonly rewritten: (text: string) => string;
};

/** Adds documents to a recording: validates them, removes secrets, and assigns them to hosts. */
export function createIntake({ writer, digest, everyMs, rewritten }: IntakeInput): Intake {
  const keptMs = new Map<string, number>();
  const instants = new Set(
    writer
      .index()
      .hosts.flatMap(({ name, documents }) => documents.map((one) => `${name} ${one.document} ${one.instantMs}`)),
  );
  const hostOf = (identity: string, name: string | undefined): string => {
    const id = digest(identity);
    const known = writer.hosts.get(id);
    if (known !== undefined) return known;
    const host = freeName(writer.hosts, name);
    writer.addHost(host, id);
    return host;
  };
  return {
    take({ text, source, arrivedMs, secrets }) {
      const read = readDocument(text);
      if (read.kind === 'fault') return read;
      const { kind: document, agentUuid, instantMs } = read.document;
      const named = writer.anonymized || agentUuid !== undefined ? undefined : source;
      const host = hostOf(agentUuid ?? `source ${source}`, named);
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
      writer.addDocument({ host, kind: document, instantMs, text: rewritten(clean.text), secrets: clean.removed });
      return { kind: 'kept', host, document, secrets: clean.removed };
    },
  };
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
