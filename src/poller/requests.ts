import type { Address } from '../kernel/address.ts';
import type { Outcome } from '../metrics/recording/outcomes.ts';
import type { AgentDocuments } from '../protocol/agent-files.ts';
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
} from '../protocol/json.ts';
import type { AgentPath, PullEnding } from '../protocol/pull.ts';

/** Sends one request to the agent. */
export type Send = (request: {
  readonly secure: boolean;
  readonly path: AgentPath;
  readonly body?: string;
}) => Promise<PullEnding>;

/** What counts as an answer to `GET /`, `GET /packages` and `GET /autotls`: 200, and JSON with this member. */
type NeededMember = 'agent' | 'Stats' | 'csr';

/** The member's text, if it is one, where the answer is as it must be, or the outcome that it counts as. */
type MemberRead =
  | { readonly kind: 'member'; readonly text: string | undefined }
  | { readonly kind: 'none'; readonly outcome: Outcome };

export function readMember(ending: PullEnding, name: NeededMember): MemberRead {
  const outcome = outcomeOf(ending);
  if (ending.kind !== 'answer' || outcome !== 'ok') return { kind: 'none', outcome };
  return memberOf(Buffer.from(ending.body), name) ?? { kind: 'none', outcome: 'unexpected_body' };
}

/** Of an answer whose body does not matter. */
export function outcomeOf(ending: PullEnding): Outcome {
  if (ending.kind === 'failure') return ending.failure;
  return ending.status === 200 ? 'ok' : `http_${ending.status}`;
}

/** A certificate request with the longest key that there is takes a third of it. */
const LONGEST_TEXT = 16_384;

/** Undefined: the answer is no JSON, or its member is absent or `null`. */
function memberOf(bytes: Buffer, name: NeededMember): MemberRead | undefined {
  const text = jsonInput(bytes, PHP_JSON);
  let found: ByteRange | undefined;
  const kind = readWhole(text, {
    names: memberNames([name]),
    read: (place, start) => {
      const end = skipValue(text, start, 1);
      if (place === 0) found = { start, end };
      return end;
    },
  });
  if (kind !== 'object' || found === undefined || isNullAt(bytes, found.start)) return undefined;
  const isText = isTextAt(bytes, found.start) && found.end - found.start <= LONGEST_TEXT;
  return { kind: 'member', text: isText ? decodeString(bytes, found) : undefined };
}

/** The body of `POST /autotls`: both certificates in PEM. */
export function certificatesBody(signed: string, ca: string): string {
  return slashesEscaped({ signed, ca });
}

/**
 * The body of `POST /config`, with all three documents: the agent empties a file that is left out. The agent stays where
 * it listens: one text may go to a whole fleet.
 */
export function configurationBody(documents: AgentDocuments, address: Address): string {
  const { customChecks, exporters } = documents;
  const configuration = `${documents.configuration}\n${placeOf(address)}`;
  return slashesEscaped({
    configuration: base64(configuration),
    customcheck_configuration: base64(customChecks),
    prometheus_exporter: base64(exporters),
  });
}

// Of two sections of one name the later keys count.
function placeOf({ host, port }: Address): string {
  return `[default]\naddress = ${host.includes(':') ? `[${host}]` : host}\nport = ${port}\n`;
}

// Both bodies are ASCII without markup, so slashes are all that PHP's encoder writes in another way.
function slashesEscaped(document: Readonly<Record<string, string>>): string {
  return JSON.stringify(document).replaceAll('/', '\\/');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
