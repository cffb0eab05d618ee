import type { Address } from '../../base/kernel/address.ts';
import type { AgentDocuments } from '../../base/protocol/agent-files.ts';
import {
  type ByteRange,
  decodeString,
  isNullAt,
  isTextAt,
  jsonInput,
  memberNames,
  PHP_JSON,
  readWhole,
  skipValue,
} from '../../base/protocol/json.ts';
import type { AgentPath, PullEnding } from '../../base/protocol/pull.ts';
import type { Outcome } from '../../metrics/recording/outcomes.ts';

export type Send = (request: {
  readonly secure: boolean;
  readonly path: AgentPath;
  readonly body?: string;
}) => Promise<PullEnding>;

/** Member that the answer to `GET /`, `GET /packages` or `GET /autotls` must have, in JSON with status 200. */
type NeededMember = 'agent' | 'Stats' | 'csr';

/** The member's text, if it is text, or the outcome of an answer without the member. */
type MemberRead =
  | { readonly kind: 'member'; readonly text: string | undefined }
  | { readonly kind: 'none'; readonly outcome: Outcome };

export function readMember(ending: PullEnding, name: NeededMember): MemberRead {
  const outcome = outcomeOf(ending);
  if (ending.kind !== 'answer' || outcome !== 'ok') return { kind: 'none', outcome };
  return memberOf(Buffer.from(ending.body), name) ?? { kind: 'none', outcome: 'unexpected_body' };
}

/** The outcome of a request whose answer's body does not matter. */
export function outcomeOf(ending: PullEnding): Outcome {
  if (ending.kind === 'failure') return ending.failure;
  return ending.status === 200 ? 'ok' : `http_${ending.status}`;
}

/** Three times the size of a certificate request with the longest possible key. */
const MAX_TEXT_CHARACTERS = 16_384;

/** `undefined` if the answer is not JSON, or the member is missing or `null`. */
function memberOf(bytes: Buffer, name: NeededMember): MemberRead | undefined {
  const text = jsonInput(bytes, PHP_JSON);
  let found: ByteRange | undefined;
  const kind = readWhole(text, {
    names: memberNames([name]),
    read: (index, start) => {
      const end = skipValue(text, start, 1);
      if (index === 0) found = { start, end };
      return end;
    },
  });
  if (kind !== 'object' || found === undefined || isNullAt(bytes, found.start)) return undefined;
  const isText = isTextAt(bytes, found.start) && found.end - found.start <= MAX_TEXT_CHARACTERS;
  return { kind: 'member', text: isText ? decodeString(bytes, found) : undefined };
}

/** Returns the body of `POST /autotls`: both certificates in PEM. */
export function certificatesBody(signed: string, ca: string): string {
  return slashesEscaped({ signed, ca });
}

/**
 * Returns the body of `POST /config`. It contains all three documents, because the agent empties a file that is
 * missing. It sets the agent's current address, so that one text can be used for a whole fleet.
 */
export function configurationBody(documents: AgentDocuments, address: Address): string {
  const { customChecks, exporters } = documents;
  const configuration = `${documents.configuration}\n${listenKeys(address)}`;
  return slashesEscaped({
    configuration: base64(configuration),
    customcheck_configuration: base64(customChecks),
    prometheus_exporter: base64(exporters),
  });
}

// If a section is repeated, the later keys win.
function listenKeys({ host, port }: Address): string {
  return `[default]\naddress = ${host.includes(':') ? `[${host}]` : host}\nport = ${port}\n`;
}

// Both bodies are ASCII without markup, so only slashes differ from the output of PHP's encoder.
function slashesEscaped(document: Readonly<Record<string, string>>): string {
  return JSON.stringify(document).replaceAll('/', '\\/');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
