import { isUtf8 } from 'node:buffer';
import { CHECK_NAMES } from '../../base/protocol/checks.ts';
import {
  type ByteRange,
  decodeScalar,
  decodeString,
  isArrayAt,
  isNullAt,
  isObjectAt,
  type JsonInput,
  jsonInput,
  memberNames,
  PHP_JSON,
  QUOTE,
  readElements,
  readMembers,
  readWhole,
  skipValue,
} from '../../base/protocol/json.ts';

/** Represents an object or array, which no endpoint needs outside `checkdata`, so it is not built. */
export const COMPOSITE = Symbol('composite');

/** A scalar as parsed; `undefined` if the member is missing. */
export type Field = string | number | boolean | null | undefined | typeof COMPOSITE;

export type CheckData = ByteRange & {
  /** Number of top-level entries: distinct member names of an object, elements of an array, 0 for a scalar. */
  readonly size: number;
  /** Whether a Windows update in the list has `null` instead of a list of knowledge base articles. */
  readonly lacksArticles: boolean;
  /** Returns the range of a known member's value; the last one counts if the name is repeated. */
  readonly member: (name: string) => ByteRange | undefined;
};

/** What the three endpoints read from a request's body, regardless of the order of members (docs/reference/wire.md, "Push API"). */
export type Envelope = {
  readonly agentuuid: Field;
  readonly password: Field;
  readonly hostname: Field;
  readonly ipaddress: Field;
  readonly checkdata: CheckData | undefined;
};

/** The envelope of an empty body, or of JSON that is not an object: all members are missing. */
export const EMPTY_ENVELOPE: Envelope = {
  agentuuid: undefined,
  password: undefined,
  hostname: undefined,
  ipaddress: undefined,
  checkdata: undefined,
};

/** Whether a body of this type is read as JSON; otherwise all members count as missing. */
export function isJsonType(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return type === 'application/json' || type === 'text/json';
}

export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').replace(/;.*/s, '').trim().toLowerCase();
}

/** A field as the server compares and stores it: missing values and values that are not scalars count as empty. */
export function textOf(field: Field): string {
  return field === undefined || field === null || field === COMPOSITE ? '' : String(field);
}

/** In bytes; several times the size of any column. */
const MAX_FIELD_BYTES = 4096;
/** Replaces longer scalars, because no reader needs more of them. */
const OVERLONG = '\ufffd'.repeat(MAX_FIELD_BYTES);

const FIELDS = ['agentuuid', 'password', 'hostname', 'ipaddress'] as const;
const CHECKDATA = FIELDS.length;
const ENVELOPE_NAMES = memberNames([...FIELDS, 'checkdata']);

/** Names that the server evaluates in documents: checks, and members of package information. */
const KNOWN_NAMES = [...CHECK_NAMES, 'Pending', 'Stats', 'LastUpdate', 'WindowsUpdates'];
const KNOWN = memberNames(KNOWN_NAMES);
const WINDOWS_UPDATES = KNOWN_NAMES.indexOf('WindowsUpdates');
const ARTICLES = memberNames(['KBArticleIDs']);
const INDEX_OF: ReadonlyMap<string, number> = new Map(KNOWN_NAMES.map((name, index) => [name, index]));

/**
 * Limits for the number and length of other names that are distinguished; beyond them, members are only counted. Real documents have fewer.
 */
const MAX_OTHER_NAMES = 1024;
const MAX_NAME_BYTES = 256;

/** Reads the body in one pass; `undefined` if it is not UTF-8 or not JSON. The last member counts if a name is repeated. */
export function readEnvelope(body: Buffer): Envelope | undefined {
  if (!isUtf8(body)) return undefined;
  if (body.length === 0) return EMPTY_ENVELOPE;
  const text = jsonInput(body, PHP_JSON);
  const starts = [-1, -1, -1, -1];
  const ends = [-1, -1, -1, -1];
  let document: DocumentWalk | undefined;
  const kind = readWhole(text, {
    names: ENVELOPE_NAMES,
    read: (index, valueStart) => {
      if (index === CHECKDATA) {
        document ??= createDocumentWalk(text);
        return document.walk(valueStart);
      }
      const end = skipValue(text, valueStart, 1);
      if (index >= 0) {
        starts[index] = valueStart;
        ends[index] = end;
      }
      return end;
    },
  });
  if (kind === 'malformed') return undefined;
  const field = (index: number): Field => {
    const start = starts[index] ?? -1;
    return start < 0 ? undefined : readField(body, { start, end: ends[index] ?? start });
  };
  return {
    agentuuid: field(0),
    password: field(1),
    hostname: field(2),
    ipaddress: field(3),
    checkdata: document?.found(),
  };
}

/** The scalar in the range of a recognized value, or `COMPOSITE` for an object or array. */
export function readField(body: Buffer, range: ByteRange): Field {
  if (isObjectAt(body, range.start) || isArrayAt(body, range.start)) return COMPOSITE;
  return range.end - range.start > MAX_FIELD_BYTES ? OVERLONG : decodeScalar(body, range);
}

/** Walks documents, of which the last one counts. Allocates its memory once, because a body may contain millions of them. */
type DocumentWalk = ReturnType<typeof createDocumentWalk>;

function createDocumentWalk(text: JsonInput) {
  const { bytes } = text;
  const starts = new Int32Array(KNOWN_NAMES.length);
  const ends = new Int32Array(KNOWN_NAMES.length);
  // Most documents have no other names, and only those of Windows have updates.
  let others: OtherNames | undefined;
  let updates: UpdateWalk | undefined;
  let range: ByteRange = { start: 0, end: 0 };
  let size = 0;
  const walkUpdates = (start: number): number => {
    updates ??= createUpdateWalk(text);
    return updates.walk(start);
  };
  const readMember = (index: number, valueStart: number, nameStart: number): number => {
    const end = index === WINDOWS_UPDATES ? walkUpdates(valueStart) : skipValue(text, valueStart, 2);
    if (index < 0) {
      others ??= createOtherNames(bytes);
      if (others.isNew(nameStart, valueStart)) size++;
    } else {
      // No value starts at offset 0, so 0 means absent.
      if (starts[index] === 0) size++;
      starts[index] = valueStart;
      ends[index] = end;
    }
    return end;
  };
  const members = { names: KNOWN, read: readMember };
  const readElement = (start: number): number => {
    size++;
    return skipValue(text, start, 2);
  };
  return {
    /** Takes the offset of the document; returns the offset after it, or -1 if it is not JSON. */
    walk: (start: number): number => {
      if (size > 0) starts.fill(0);
      others?.clear();
      updates?.clear();
      size = 0;
      let end: number;
      if (isObjectAt(bytes, start)) end = readMembers(text, start, members);
      else end = isArrayAt(bytes, start) ? readElements(text, start, readElement) : skipValue(text, start, 1);
      range = { start, end };
      return end;
    },
    found: (): CheckData => ({
      ...range,
      size,
      lacksArticles: updates?.lacksArticles() ?? false,
      member: (name) => {
        const index = INDEX_OF.get(name) ?? -1;
        const start = starts[index] ?? 0;
        return start === 0 ? undefined : { start, end: ends[index] ?? start };
      },
    }),
  };
}

/** Names of a document that the server does not evaluate. */
type OtherNames = { readonly isNew: (start: number, valueStart: number) => boolean; readonly clear: () => void };

function createOtherNames(bytes: Buffer): OtherNames {
  const names = new Set<string>();
  let distinguished = 0;
  return {
    isNew: (start, valueStart) => {
      if (distinguished === MAX_OTHER_NAMES || valueStart - start > MAX_NAME_BYTES) return true;
      distinguished++;
      const known = names.size;
      return names.add(decodeString(bytes, { start, end: bytes.lastIndexOf(QUOTE, valueStart - 2) + 1 })).size > known;
    },
    clear: () => {
      names.clear();
      distinguished = 0;
    },
  };
}

/** Walks lists of Windows updates, of which the last one counts. */
type UpdateWalk = ReturnType<typeof createUpdateWalk>;

function createUpdateWalk(text: JsonInput) {
  const { bytes } = text;
  let lacksArticles = false;
  let articlesStart = 0;
  const articles = {
    names: ARTICLES,
    read: (index: number, valueStart: number) => {
      if (index === 0) articlesStart = valueStart;
      return skipValue(text, valueStart, 4);
    },
  };
  const walkUpdate = (start: number): number => {
    if (!isObjectAt(bytes, start)) return skipValue(text, start, 3);
    articlesStart = 0;
    const end = readMembers(text, start, articles);
    if (articlesStart > 0 && isNullAt(bytes, articlesStart)) lacksArticles = true;
    return end;
  };
  return {
    walk: (start: number): number => {
      lacksArticles = false;
      return isArrayAt(bytes, start) ? readElements(text, start, walkUpdate) : skipValue(text, start, 2);
    },
    lacksArticles: (): boolean => lacksArticles,
    clear: () => {
      lacksArticles = false;
    },
  };
}
