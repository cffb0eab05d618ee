import type { BodyReader } from '../http/body.ts';
import type { HttpExchange } from '../http/server.ts';
import { fileBytes, fileText } from '../protocol/agent-files.ts';
import { quote } from '../protocol/go-json.ts';
import {
  type Answer,
  INTERNAL_ERROR,
  INVALID_CONFIGURATION,
  jsonAnswer,
  STORED,
  textAnswer,
  UNREADABLE_BODY,
  UPDATE_DISABLED,
} from './answer.ts';
import { decodeBase64 } from './base64.ts';
import { readTextMembers } from './members.ts';
import type { WebServerPorts, WebServerSetup } from './ports.ts';
import type { Route, RouteName } from './routes.ts';
import { queryValue } from './target.ts';

/** A request that has found its route and may have its answer. */
export type Asked = {
  readonly agent: number;
  readonly setup: WebServerSetup;
  readonly route: Route;
  readonly exchange: HttpExchange<unknown>;
};

export type Sources = { readonly ports: WebServerPorts; readonly bodies: BodyReader };

type Responder = (asked: Asked, sources: Sources) => Answer | Promise<Answer>;

/** What each route answers (docs/protocol.md, "Agent web server"). */
export const RESPONDERS: Readonly<Record<RouteName, Responder>> = {
  checkdata: ({ agent }, { ports }) => jsonAnswer(ports.checkdata(agent)),
  packages: ({ agent }, { ports }) => jsonAnswer(ports.packages(agent)),
  prometheus: ({ agent, route }, { ports }) => {
    const exporter = queryValue(route.query, 'exporter');
    if (exporter === '') return jsonAnswer(`[${ports.exporters(agent).map(quote).join(',')}]`);
    return textAnswer(ports.scrape(agent, exporter) ?? 'Unknown exporter');
  },
  'read-config': ({ agent, setup }, { ports }) => {
    if (!setup.configPush) return UPDATE_DISABLED;
    const { configuration, customChecks, exporters } = ports.documents(agent);
    const [main, checks, scrapes] = [configuration, customChecks, exporters].map(encodeBase64);
    return jsonAnswer(
      `{"configuration":"${main}","customcheck_configuration":"${checks}","prometheus_exporter":"${scrapes}"}`,
    );
  },
  'push-config': pushConfiguration,
  'signing-request': ({ agent, route }, { ports }) => {
    const domain = queryValue(route.query, 'domain');
    return ports.csr(agent, domain === '' ? undefined : domain).then(
      (csr) => jsonAnswer(`{"csr":${quote(csr)}}`),
      () => INTERNAL_ERROR,
    );
  },
  certificates: storeCertificates,
};

const DOCUMENT_NAMES = ['configuration', 'customcheck_configuration', 'prometheus_exporter'] as const;

async function pushConfiguration({ agent, setup, exchange }: Asked, { ports, bodies }: Sources): Promise<Answer> {
  if (!setup.configPush) return UPDATE_DISABLED;
  const members = await readMembers(exchange, bodies, DOCUMENT_NAMES);
  if (members === 'unreadable') return UNREADABLE_BODY;
  const documents = members && DOCUMENT_NAMES.map((name) => textIn(members[name]));
  const [configuration, customChecks, exporters] = documents ?? [];
  if (configuration === undefined || customChecks === undefined || exporters === undefined)
    return INVALID_CONFIGURATION;
  if (configuration === '') return INVALID_CONFIGURATION;
  return answerStored(ports.storeDocuments(agent, { configuration, customChecks, exporters }));
}

const CERTIFICATE_NAMES = ['signed', 'ca'] as const;

async function storeCertificates({ agent, exchange }: Asked, { ports, bodies }: Sources): Promise<Answer> {
  const members = await readMembers(exchange, bodies, CERTIFICATE_NAMES);
  if (members === 'unreadable') return UNREADABLE_BODY;
  if (members === undefined) return INTERNAL_ERROR;
  return answerStored(ports.storeCertificates(agent, members));
}

async function readMembers<Name extends string>(
  exchange: HttpExchange<unknown>,
  bodies: BodyReader,
  names: readonly Name[],
): Promise<Readonly<Record<Name, string>> | undefined | 'unreadable'> {
  const body = await bodies.read(exchange);
  if (body.kind !== 'whole') return 'unreadable';
  try {
    return readTextMembers(Buffer.concat(body.chunks, body.sizeBytes), names);
  } finally {
    bodies.release(body);
  }
}

function answerStored(storing: Promise<void>): Promise<Answer> {
  return storing.then(
    () => STORED,
    () => INTERNAL_ERROR,
  );
}

function textIn(base64: string): string | undefined {
  const bytes = decodeBase64(base64);
  return bytes && fileText(bytes);
}

function encodeBase64(text: string): string {
  return fileBytes(text).toString('base64');
}
