import { createPrivateKey, X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { type Address, isLoopback, parseAddress, parsePort } from '../../base/kernel/address.ts';
import { UserError } from '../../base/kernel/errors.ts';
import { quoted } from '../../base/notation/finding.ts';
import { readCertificates, readKey, readTextFile } from '../../base/storage/text-files.ts';
import type { OtlpOrder } from '../../outputs/otlp/export-figures.ts';
import type { Receiver } from '../../outputs/post.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import { displayUrl } from '../../scenario/server-urls.ts';
import type { CommandContext, FigureFlags, OtlpFlags } from './common.ts';
import { flagOrVariable, type Given, variableNamed as given, readValue, variableOf, wholeNumber } from './values.ts';

export type FiguresRequest = {
  /** Address for scrapers and their token; `undefined` if metrics are not served. */
  readonly metrics: { readonly address: Address; readonly token: string | undefined } | undefined;
  /** OTLP receiver; `undefined` if metrics are not sent. */
  readonly otlp: OtlpOrder | undefined;
};

/** Throws `UserError` for an invalid value or an unreadable file. */
export async function figuresRequest(flags: FigureFlags, context: CommandContext): Promise<FiguresRequest> {
  return { metrics: await metricsEndpoint(flags, context), otlp: await otlpOrder(flags, context) };
}

async function metricsEndpoint(
  flags: Pick<FigureFlags, 'metrics-address'>,
  { environment, cwd }: CommandContext,
): Promise<FiguresRequest['metrics']> {
  const written = flagOrVariable('metrics-address', flags, environment);
  const address = readValue(written, {
    expected: 'an address such as 127.0.0.1:9464, :9464 or 9464',
    read: (text) => parseAddress(parsePort(text) === undefined ? text : `:${text}`),
  });
  if (address === undefined) return undefined;
  const token = await metricsToken(environment, cwd);
  if (token !== undefined || isLoopback(address.host)) return { address, token };
  throw new UserError(
    `${written.name}: ${written.value} is reachable from other machines, so clients need a token: expected one in ` +
      'MUSTER_METRICS_TOKEN, or in the file that MUSTER_METRICS_TOKEN_FILE names, found neither.',
  );
}

async function metricsToken(environment: Variables, cwd: string): Promise<string | undefined> {
  const { name, value: file } = variableOf('metrics-token-file', environment);
  const own = variableOf('metrics-token', environment);
  const token = own.value ?? (file && (await readTextFile('file of a secret', resolve(cwd, file))).trim());
  if (token === '') throw new UserError(`${name}: expected a token in ${file}, found an empty file.`);
  if (token === undefined || SENDABLE.test(token)) return token;
  throw new UserError(
    `${own.value === undefined ? name : own.name}: expected a token that clients can send, up to 4096 printable ASCII characters ` +
      'without blanks, found another text.',
  );
}

// Node refuses requests with more than 16 KB of headers.
const SENDABLE = /^[\x21-\x7e]{1,4096}$/;

const DEFAULT_INTERVAL_MS = 10_000;
// Metrics are updated once per second.
const MIN_INTERVAL_MS = 1000;
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_MS = 999_999_999;
const PATH = '/v1/metrics';

/**
 * Reads the flag and OpenTelemetry's environment variables; those with `METRICS_` in their name take precedence. `undefined` if there
 * is no receiver, or if `OTEL_SDK_DISABLED` or `OTEL_METRICS_EXPORTER` disables it.
 * @throws UserError without values that may be secret
 */
export async function otlpOrder(
  { otlp: flag }: OtlpFlags,
  { environment, cwd }: CommandContext,
): Promise<OtlpOrder | undefined> {
  const setting = (name: string) => settingOf(name, environment);
  if (isSwitchedOff(flag, environment)) return undefined;
  const url = receiverOf(flag, environment);
  if (url === undefined) return undefined;
  oneOf(setting('PROTOCOL'), ['http/protobuf']);
  const file = async (name: string, read: (file: string) => Promise<string>) => {
    const { value } = setting(name);
    return value && (await read(resolve(cwd, value)));
  };
  const [ca, cert, key] = [
    await file('CERTIFICATE', readCertificates),
    await file('CLIENT_CERTIFICATE', readCertificates),
    await file('CLIENT_KEY', readKey),
  ];
  assertPair(setting('CLIENT_CERTIFICATE'), setting('CLIENT_KEY'), { cert, key });
  const isGzip = oneOf(setting('COMPRESSION'), ['none', 'gzip']) === 'gzip';
  const { OTEL_SERVICE_NAME: service } = environment;
  return {
    url,
    shown: displayUrl(url),
    headers: {
      ...headersIn('OTEL_EXPORTER_OTLP_HEADERS', environment),
      ...headersIn('OTEL_EXPORTER_OTLP_METRICS_HEADERS', environment),
      'Content-Type': 'application/x-protobuf',
      'User-Agent': 'muster',
      ...(isGzip && { 'Content-Encoding': 'gzip' }),
    },
    tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
    intervalMs:
      millisecondsOf(given('OTEL_METRIC_EXPORT_INTERVAL', environment), MIN_INTERVAL_MS) ?? DEFAULT_INTERVAL_MS,
    timeoutMs: millisecondsOf(setting('TIMEOUT'), 1) ?? DEFAULT_TIMEOUT_MS,
    gzip: isGzip,
    attributes: {
      ...pairsIn('OTEL_RESOURCE_ATTRIBUTES', environment),
      ...(service && { 'service.name': service }),
    },
    proxies: proxiesIn(environment),
    warnings: temporalityWarnings(given('OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', environment)),
  };
}

/** A request that fails would lose the differences that it carried, so there are only sums from the start. */
function temporalityWarnings({ name, value = 'cumulative' }: Given): readonly string[] {
  if (value.toLowerCase() === 'cumulative') return [];
  return [
    `${name}=${quoted(value)}: Muster sends cumulative sums; the processor cumulativetodelta of a collector converts them`,
  ];
}

/** The proxies that environment variables name. Programs prefer the lower case. */
export function proxiesIn(environment: Variables): Receiver['proxies'] {
  const eitherCase = (name: string) => environment[name.toLowerCase()] || environment[name] || '';
  return {
    httpProxy: eitherCase('HTTP_PROXY'),
    httpsProxy: eitherCase('HTTPS_PROXY'),
    noProxy: eitherCase('NO_PROXY'),
  };
}

/** Checks the client certificate and its key. Throws `UserError` if only one is set, or if they do not match. */
function assertPair(ofCert: Given, ofKey: Given, { cert, key }: Readonly<Record<'cert' | 'key', string | undefined>>) {
  if (cert === undefined && key === undefined) return;
  const [given, missing] = cert === undefined ? [ofKey, ofCert] : [ofCert, ofKey];
  if (cert === undefined || key === undefined)
    throw new UserError(`${given.name}: expected ${missing.name} with it, found none; set both or neither.`);
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  throw new UserError(
    `${ofKey.name}: expected the key of ${ofCert.value}, found the key of another certificate in ${ofKey.value}.`,
  );
}

/** A setting of the exporter: the one for metrics, otherwise the one for all signals. */
function settingOf(name: string, environment: Variables): Given {
  const own = given(`OTEL_EXPORTER_OTLP_METRICS_${name}`, environment);
  return own.value === undefined ? given(`OTEL_EXPORTER_OTLP_${name}`, environment) : own;
}

/** Whether environment variables disable the exporter. Throws `UserError` if they contradict the flag. */
function isSwitchedOff(flag: string | undefined, environment: Variables): boolean {
  const exporters = given('OTEL_METRICS_EXPORTER', environment);
  const isOtherExporter =
    exporters.value !== undefined && !exporters.value.split(',').some((name) => name.trim() === 'otlp');
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() !== 'true') return isOtherExporter && flag === undefined;
  if (flag === undefined) return true;
  throw new UserError('--otlp sets a receiver, but OTEL_SDK_DISABLED=true disables OpenTelemetry: remove one of them.');
}

/** The URL for requests. As in the OTLP specification, `/v1/metrics` is appended, except to a URL for metrics only. */
function receiverOf(flag: string | undefined, environment: Variables): string | undefined {
  const forMetrics = given('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', environment);
  const forAll = given('OTEL_EXPORTER_OTLP_ENDPOINT', environment);
  if (flag !== undefined) return withPath(otlpUrl({ name: '--otlp', value: flag }));
  if (forMetrics.value !== undefined) return otlpUrl(forMetrics).href;
  return forAll.value === undefined ? undefined : withPath(otlpUrl(forAll));
}

function otlpUrl({ name, value = '' }: Given): URL {
  const url = receiverUrl(value);
  if (url !== undefined) return url;
  throw new UserError(
    `${name}: expected the http or https URL of an OTLP receiver such as http://127.0.0.1:4318, found ${quoted(displayUrl(value))}.`,
  );
}

/** The URL of a receiver of HTTP requests; `undefined` if it is none, has a fragment, or its user is not percent-encoded. */
export function receiverUrl(value: string): URL | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hash !== '') return undefined;
  return decodedOf(url.username) !== undefined && decodedOf(url.password) !== undefined ? url : undefined;
}

function withPath(url: URL): string {
  const path = url.pathname.replace(/\/$/, '');
  url.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`;
  return url.href;
}

function oneOf(setting: Given, known: readonly string[]): string | undefined {
  const hint = setting.name.endsWith('PROTOCOL') ? ', the only protocol of Muster, usually on port 4318' : '';
  const expected = `${known.join(' or ')}${hint}`;
  return readValue(setting, { expected, read: (text) => known.find((one) => one === text) });
}

function millisecondsOf(setting: Given, least: number): number | undefined {
  return readValue(setting, wholeNumber(least, MAX_MS, `whole milliseconds from ${least} to ${MAX_MS}`));
}

/** Parses `name=value,name=value` with percent-encoding, the notation of OpenTelemetry for headers and attributes. */
function pairsIn(name: string, environment: Variables): Record<string, string> {
  const { value = '' } = given(name, environment);
  const parts = value.split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part, index) => {
      const [, key, written = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(part) ?? [];
      const decoded = decodedOf(written.trim());
      if (key !== undefined && decoded !== undefined) return [key, decoded];
      throw new UserError(
        `${name}: expected name=value,name=value with percent-encoded values, found another form in entry ${index + 1}.`,
      );
    }),
  );
}

const OF_THE_CONNECTION = /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

function headersIn(name: string, environment: Variables): Record<string, string> {
  const pairs = pairsIn(name, environment);
  for (const [place, [header, value]] of Object.entries(pairs).entries()) {
    if (OF_THE_CONNECTION.test(header))
      throw new UserError(
        `${name}: expected headers other than ${header.toLowerCase()}, which Muster sets itself; omit it.`,
      );
    if (/^[!#$%&'*+.^`|~\w-]+$/.test(header) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new UserError(`${name}: expected valid HTTP headers, found invalid characters in entry ${place + 1}.`);
  }
  return pairs;
}

function decodedOf(written: string): string | undefined {
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}
