import { timingSafeEqual } from 'node:crypto';
import { fileBytes, fileText } from '../../ground/protocol/agent-files.ts';
import { quote } from '../../ground/protocol/go-json.ts';
import {
  type ByteRange,
  decodeString,
  GO_JSON,
  isNullAt,
  isTextAt,
  jsonInput,
  memberNames,
  readWhole,
  skipValue,
} from '../../ground/protocol/json.ts';
import type { BodyReader } from '../http/body.ts';
import type { HttpExchange } from '../http/server.ts';
import {
  type Answer,
  FORBIDDEN,
  INTERNAL_ERROR,
  INVALID_CONFIGURATION,
  jsonText,
  plainText,
  STORED,
  UNREADABLE_BODY,
  UPDATE_DISABLED,
} from './answer.ts';
import type { WebServerPorts, WebServerSetup } from './ports.ts';
import { queryValue, type Route, type RouteName } from './routes.ts';

type RoutedRequest = {
  readonly agent: number;
  readonly setup: WebServerSetup;
  readonly route: Route;
  readonly exchange: HttpExchange<unknown>;
};

export type RouteContext = { readonly ports: WebServerPorts; readonly bodies: BodyReader };

type Responder = (request: RoutedRequest, context: RouteContext) => Answer | Promise<Answer>;

/** Returns the route's answer, or 403 if the client has not sent the agent's user and password. */
export function answerRoute(request: RoutedRequest, context: RouteContext): Answer | Promise<Answer> {
  const { basicAuth } = request.setup;
  const { authorization } = request.exchange.request.headers;
  if (basicAuth !== undefined && !isAuthorized(authorization, basicAuth)) return FORBIDDEN;
  return RESPONDERS[request.route.name](request, context);
}

/** The answers of the routes (docs/reference/agent-web-server.md, "Agent web server"). */
const RESPONDERS: Readonly<Record<RouteName, Responder>> = {
  checkdata: ({ agent }, { ports }) => jsonText(ports.checkdata(agent)),
  packages: ({ agent }, { ports }) => jsonText(ports.packages(agent)),
  prometheus: ({ agent, route }, { ports }) => {
    const exporter = queryValue(route.query, 'exporter');
    if (exporter === '') return jsonText(`[${ports.exporters(agent).map(quote).join(',')}]`);
    return plainText(ports.scrape(agent, exporter) ?? 'Unknown exporter');
  },
  'read-config': ({ agent, setup }, { ports }) => {
    if (!setup.configPush) return UPDATE_DISABLED;
    const { configuration, customChecks, exporters } = ports.documents(agent);
    const [main, checks, scrapes] = [configuration, customChecks, exporters].map(encodeBase64);
    return jsonText(
      `{"configuration":"${main}","customcheck_configuration":"${checks}","prometheus_exporter":"${scrapes}"}`,
    );
  },
  'push-config': pushConfiguration,
  'signing-request': ({ agent, route }, { ports }) => {
    const domain = queryValue(route.query, 'domain');
    return ports.csr(agent, domain === '' ? undefined : domain).then(
      (csr) => jsonText(`{"csr":${quote(csr)}}`),
      () => INTERNAL_ERROR,
    );
  },
  certificates: storeCertificates,
};

const DOCUMENT_NAMES = ['configuration', 'customcheck_configuration', 'prometheus_exporter'] as const;

async function pushConfiguration(
  { agent, setup, exchange }: RoutedRequest,
  { ports, bodies }: RouteContext,
): Promise<Answer> {
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

async function storeCertificates({ agent, exchange }: RoutedRequest, { ports, bodies }: RouteContext): Promise<Answer> {
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

const OUTSIDE_ALPHABET = /[^A-Za-z0-9+/]/;
const LINE_ENDS = /[\r\n]/g;

/**
 * Decodes padded standard base64, ignoring carriage returns and line feeds; `undefined` for any other character. Node's
 * own decoder accepts almost anything.
 */
function decodeBase64(text: string): Buffer | undefined {
  const packed = text.replace(LINE_ENDS, '');
  const end = packed.search(OUTSIDE_ALPHABET);
  const padding = end < 0 ? '' : packed.slice(end);
  const isWhole = packed.length % 4 === 0 && (padding === '' || padding === '=' || padding === '==');
  return isWhole ? Buffer.from(packed, 'base64') : undefined;
}

const SCHEME = /^basic /i;

/** Whether the value of an Authorization header contains exactly these credentials, `user:password`. */
function isAuthorized(header: string | undefined, credentials: string): boolean {
  if (header === undefined || !SCHEME.test(header)) return false;
  const given = decodeBase64(header.slice('Basic '.length));
  const wanted = Buffer.from(credentials);
  return given !== undefined && given.length === wanted.length && timingSafeEqual(given, wanted);
}

/**
 * Reads the text members of a JSON object like Go's decoder. Names are case-insensitive, and the last non-null value of a name
 * wins. Unknown members are ignored; missing ones are empty. `undefined` if the body is not JSON or a member is not text.
 */
function readTextMembers<Name extends string>(
  bytes: Buffer,
  names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
  const input = jsonInput(bytes, GO_JSON);
  const ranges: (ByteRange | undefined)[] = [];
  let areTexts = true;
  const kind = readWhole(input, {
    names: memberNames(names),
    read: (place, start) => {
      const end = skipValue(input, start, 1);
      if (place < 0 || isNullAt(bytes, start)) return end;
      if (isTextAt(bytes, start)) ranges[place] = { start, end };
      else areTexts = false;
      return end;
    },
  });
  if (!areTexts || kind === 'malformed' || kind === 'other') return undefined;
  const texts = names.map((name, place) => {
    const range = ranges[place];
    return [name, range === undefined ? '' : decodeString(bytes, range)] as const;
  });
  return Object.fromEntries(texts) as Record<Name, string>;
}
