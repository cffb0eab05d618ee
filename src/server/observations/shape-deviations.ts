import { jsonInput, PHP_JSON, parseBounded } from '../../base/protocol/json.ts';
import { checkdataFaults, packagesShape, shapeFaults } from '../../base/protocol/shapes.ts';
import type { PushRequest } from '../dialects/dialect.ts';

/** A deviation from the agent's shapes, such as `cpu.cpu_percentage[]: expected number`, and the number of affected documents. */
export type ShapeFault = { readonly fault: string; readonly documents: number };

/** Further kinds of fault are counted together. */
const MAX_KINDS = 200;
/** Names in a document can have any length. */
const MAX_TEXT_CHARACTERS = 200;
const FURTHER = 'further kinds of fault';
/** Several times the size of real documents; verifying larger ones would block the server. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
const MAX_VALUES = 100_000;

export type ShapeFaults = ReturnType<typeof createShapeFaults>;

export function createShapeFaults() {
  const documents = new Map<string, number>();
  return {
    add: (request: PushRequest) => {
      for (const fault of new Set(faultsOf(request).map(shortCopy))) {
        const kind = documents.has(fault) || documents.size < MAX_KINDS ? fault : FURTHER;
        documents.set(kind, (documents.get(kind) ?? 0) + 1);
      }
    },
    list: (): readonly ShapeFault[] =>
      [...documents].map(([fault, count]) => ({ fault, documents: count })).sort((a, b) => b.documents - a.documents),
  };
}

/** A substring would keep the whole text in memory. */
function shortCopy(text: string): string {
  return Buffer.from(text.slice(0, MAX_TEXT_CHARACTERS)).toString();
}

function faultsOf({ endpoint, envelope, body }: PushRequest): readonly string[] {
  if (endpoint === undefined || endpoint === 'register_agent') return [];
  if (envelope === undefined) return ['the body is not JSON'];
  if (envelope.checkdata === undefined) return ['checkdata: missing'];
  const { start, end } = envelope.checkdata;
  if (end - start > MAX_DOCUMENT_BYTES)
    return [`checkdata: larger than the ${MAX_DOCUMENT_BYTES} bytes that are verified`];
  const read = parseBounded({ ...jsonInput(body.subarray(start, end), PHP_JSON), left: MAX_VALUES });
  if (read === undefined) return [`checkdata: more than the ${MAX_VALUES} values that are verified`];
  const document = read.value;
  return endpoint === 'submit_checkdata'
    ? checkdataFaults(document)
    : shapeFaults(packagesShape, document, 'checkdata');
}
