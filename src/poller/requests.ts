import type { Address } from '../kernel/address.ts';
import type { Outcome } from '../metrics/recording/outcomes.ts';
import type { AgentDocuments } from '../protocol/agent-files.ts';
import type { AgentPath, PullEnding } from '../protocol/pull.ts';

/** Sends one request to the agent. */
export type Send = (request: {
  readonly secure: boolean;
  readonly path: AgentPath;
  readonly body?: string;
}) => Promise<PullEnding>;

/** What counts as an answer to `GET /`, `GET /packages` and `GET /autotls`: 200, and JSON with this member. */
type NeededMember = 'agent' | 'Stats' | 'csr';

/** The member's value where the answer is as it must be, or the outcome that it counts as. */
type MemberRead =
  | { readonly kind: 'member'; readonly value: unknown }
  | { readonly kind: 'none'; readonly outcome: Outcome };

export function readMember(ending: PullEnding, name: NeededMember): MemberRead {
  const outcome = outcomeOf(ending);
  if (ending.kind !== 'answer' || outcome !== 'ok') return { kind: 'none', outcome };
  const value = memberOf(ending.body, name);
  return value === undefined || value === null
    ? { kind: 'none', outcome: 'unexpected_body' }
    : { kind: 'member', value };
}

/** Of an answer whose body does not matter. */
export function outcomeOf(ending: PullEnding): Outcome {
  if (ending.kind === 'failure') return ending.failure;
  return ending.status === 200 ? 'ok' : `http_${ending.status}`;
}

function memberOf(body: string, name: NeededMember): unknown {
  try {
    const document: unknown = JSON.parse(body);
    const isObject = typeof document === 'object' && document !== null && Object.hasOwn(document, name);
    return isObject ? (document as Readonly<Record<string, unknown>>)[name] : undefined;
  } catch {
    return undefined;
  }
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
