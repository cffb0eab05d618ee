import { resolve } from 'node:path';
import { z } from 'zod';
import { type Finding, keyFinding, quoted, valueFinding } from '../base/notation/finding.ts';
import type { PartialList } from '../base/notation/parts.ts';
import { positiveDuration } from '../base/notation/quantities.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { anyText, choice, filledText, section, textLike, trueOrFalse } from '../base/notation/section.ts';
import { DIALECT_NAMES, type DialectName } from '../base/protocol/push.ts';
import type { Phase } from '../load/timeline.ts';
import { type Fault, faultFile, faultList, faultOf } from '../server/faults/schema.ts';
import { lateInstant, type PartialPhases, phaseNames, plannedBy, strangeInstant } from './phase-findings.ts';
import { type ProxyChoice, proxy, proxyChoiceOf, proxyText } from './proxy.ts';
import { type Pull, type PullFile, pull, pullFile, pullFindings, pullOf } from './pull.ts';
import { escapeVariables, SecretText, secretText } from './reading/variables.ts';
import { baseUrlsOf, displayUrl } from './server-urls.ts';
import { baseUrl, targetUrl } from './url-schemas.ts';
import type { WebServerFile } from './web-server.ts';

export type Target = {
  /** `embedded`, or the base URL of a push server, which may have a path; the first if there are several. */
  readonly url: string;
  /** All base URLs after the first; agents use them in turn (`baseUrlsOf`). */
  readonly furtherUrls: readonly string[];
  readonly apiKey: string;
  /** Host names or addresses beyond loopback that may be put under load. */
  readonly allow: readonly string[];
  readonly timeoutMs: number;
  readonly tls: TargetTls;
  readonly proxy: ProxyChoice | undefined;
  /** Only used by the embedded server. */
  readonly dialect: DialectName;
  /** Faults of the embedded server, empty for any other. Times count from the start of the run. */
  readonly faults: readonly Fault[];
  /** How the embedded server polls agents; `undefined` if it does not. */
  readonly pull: Pull | undefined;
};

type TargetTls = {
  readonly verify: boolean;
  readonly caFile: string | undefined;
  /** HTTPS settings of the embedded server; `undefined` for HTTP. */
  readonly serve: EmbeddedTls | undefined;
};

export type EmbeddedTls =
  /** A certificate generated for the run, which the agents trust. */
  { readonly kind: 'self_signed' } | { readonly kind: 'files'; readonly certFile: string; readonly keyFile: string };

const SERVE = 'self-signed, or { cert: ./server.pem, key: ./server.key }';

const HOST_FORM = 'the name or address of a host such as mon.example, without scheme, port or path';

const hostName = textLike(/^([^\s/:?#@*[\]]+|\[?[0-9A-Fa-f:.]+\]?)$/, HOST_FORM).meta({
  description: 'A name or an address.',
  examples: ['mon.example'],
});

const PEM = 'a PEM file, relative to this file';

const serve = z.union(
  [
    z.literal('self-signed').describe('A certificate generated for the run, which verifying agents trust.'),
    section({
      cert: filledText.meta({ description: `Certificate with its chain, ${PEM}.`, examples: ['server.pem'] }),
      key: filledText.meta({ description: `Its private key, ${PEM}.`, examples: ['server-key.pem'] }),
    }).meta({
      description: 'Your own certificate, which verifying agents trust directly or through the CA in `ca`.',
      examples: [{ cert: 'server.pem', key: 'server-key.pem' }],
    }),
  ],
  SERVE,
);

const tls = section({
  verify: trueOrFalse
    .default(false)
    .describe(
      '`verify-server-certificate` of the agents: verify the certificate of the server, and use HTTP/2 if it does.',
    ),
  ca: filledText.optional().meta({
    description: `With \`verify: true\`, the CA to trust, ${PEM}. Left out: the CAs that Node trusts, and the certificate of the embedded server.`,
    examples: ['ca.pem'],
  }),
  serve: serve.optional().meta({
    description: 'Makes the embedded server use HTTPS. Left out: HTTP.',
    examples: ['self-signed'],
  }),
});

// The key is part of a header line.
// biome-ignore lint/suspicious/noControlCharactersInRegex: The pattern rejects them.
const ONE_LINE = /^[^\u0000-\u0008\u000a-\u001f\u007f]*$/;
const KEY_CHARACTERS = 'a key without line breaks or other control characters';

// References of other tools, which would be sent as they are.
const FOREIGN_VARIABLE =
  /^(?:(?:env|getenv|os\.getenv|System\.getenv)\(.*\)|process\.env\b.*|os\.environ\b.*|__ENV\..*|\$[A-Z_][A-Z0-9_]*|\$\(.*\)|\{\{.*\}\}|%[A-Z_][A-Z0-9_]*%)$/;
const KEY_FORM = 'a key, or ${NAME} for a variable of the environment';

export const apiKey = anyText
  .refine((key) => ONE_LINE.test(key), KEY_CHARACTERS)
  .refine((key) => !FOREIGN_VARIABLE.test(key), KEY_FORM);

export const target = section({
  url: targetUrl.default('embedded').meta({
    description: '`embedded`, the server inside Muster, or the base URL of another server, including its path.',
    examples: ['embedded', '${MUSTER_TARGET:-embedded}', 'https://mon.example'],
  }),
  urls: z
    .array(baseUrl, 'a list of base URLs')
    .min(1, 'a list of base URLs')
    .max(1000, 'up to 1000 base URLs')
    .optional()
    .meta({
      description:
        'Several base URLs instead of `url`: agent n, from 0, uses entry n modulo their number. Left out: all agents use `url`.',
      examples: [['https://mon-1.example', 'https://mon-2.example']],
    }),
  apiKey: apiKey.default('').meta({
    description: 'API key that agents send with every request. Keep it in the environment, not in a file.',
    examples: ['${MUSTER_API_KEY:-}'],
  }),
  allow: z
    .array(hostName, 'a list of host names')
    .default([])
    .meta({ description: 'Hosts beyond loopback that this scenario may put under load.', examples: [['mon.example']] }),
  timeout: positiveDuration
    .prefault('29s')
    .meta({ description: 'Timeout of one request with its answer.', examples: ['10s', '29s'] }),
  tls: tls.prefault({}).meta({
    description: 'HTTPS settings of agents and of the embedded server.',
    examples: [{ serve: 'self-signed' }],
  }),
  proxy,
  dialect: choice(DIALECT_NAMES)
    .default('documented')
    .describe('Whether the embedded server follows the documented API or behaves like the released server.'),
  faults: faultList.prefault([]).meta({
    description: 'Faults of the embedded server and when to inject them; up to 100.',
    examples: [
      [
        { do: 'latency', delay: { median: '20ms', sigma: 0.5 } },
        {
          do: 'status',
          status: 503,
          body: 'html',
          share: '30%',
          operations: ['checkdata'],
          at: 'steady+5s',
          for: '5s',
        },
        { do: 'outage', at: '30s', for: '10s' },
      ],
    ],
  }),
  pull,
})
  .prefault({})
  .meta({
    description: 'The server under test.',
    examples: [{ url: 'https://mon.example', apiKey: '${MUSTER_API_KEY:-}', allow: ['mon.example'], timeout: '29s' }],
  });

export type TargetFile = z.output<typeof target>;

/** @param folder folder of the file, the base of relative paths */
export function targetOf(
  { url, urls, timeout, tls, proxy, faults, pull, ...rest }: TargetFile,
  folder: string,
  phases: readonly Phase[],
): Target {
  const [first = url, ...furtherUrls] = urls ?? [];
  return {
    ...rest,
    url: first,
    furtherUrls,
    timeoutMs: timeout,
    tls: tlsOf(tls, folder),
    proxy: proxyChoiceOf(proxy),
    faults: faults.map((fault) => faultOf(fault, phases)),
    pull: pull && pullOf(pull, folder, phases),
  };
}

function tlsOf({ verify, ca, serve }: TargetFile['tls'], folder: string): TargetTls {
  const file = (path: string) => resolve(folder, path);
  const files = serve !== undefined && serve !== 'self-signed' ? serve : undefined;
  return {
    verify,
    caFile: ca === undefined ? undefined : file(ca),
    serve: files
      ? { kind: 'files', certFile: file(files.cert), keyFile: file(files.key) }
      : serve && { kind: 'self_signed' },
  };
}

function tlsFile({ verify, caFile, serve }: TargetTls): TargetFile['tls'] {
  const own =
    serve?.kind === 'files' ? { cert: serve.certFile, key: serve.keyFile } : serve && ('self-signed' as const);
  return { verify, ca: caFile, serve: own };
}

/** The inverse of `targetOf`. */
export function targetFile(target: Target): object {
  const { url, apiKey, allow, timeoutMs, tls, proxy, dialect, faults, pull } = target;
  const urls = baseUrlsOf(target).map(urlText);
  return {
    ...(urls.length > 1 ? { urls } : { url: urls[0] }),
    apiKey: apiKey && secretText('MUSTER_API_KEY', apiKey),
    allow,
    timeout: timeoutMs,
    tls: tlsFile(tls),
    proxy: proxy && proxyText(proxy),
    ...(url === 'embedded' && { dialect, faults: faults.map(faultFile), pull: pull && pullFile(pull) }),
  };
}

function urlText(url: string, place: number): string | SecretText {
  const [base = '', ...query] = url.split('?');
  if (query.length === 0) return base;
  const variable = `MUSTER_TARGET_QUERY${place === 0 ? '' : `_${place + 1}`}`;
  return new SecretText(`${escapeVariables(base)}?\${${variable}}`, { [variable]: query.join('?') });
}

/** The readable parts of a target and of the sections that it is checked against. */
type PartialTarget = PartialPhases & {
  readonly target?: {
    readonly urls?: PartialList<string> | undefined;
    readonly faults?: PartialList<TargetFile['faults'][number]>;
    readonly pull?: Partial<PullFile>;
  };
  readonly webServer?: Partial<WebServerFile>;
};

/** Conflicts of a target with the phases and the agents' web servers. */
export function targetFindings(file: PartialTarget, raw: unknown): readonly Finding[] {
  const { faults = [], pull } = file.target ?? {};
  const names = phaseNames(file);
  return [
    ...twoTargets(raw),
    ...tooFewConnections(file),
    ...misdirectedKeys(raw),
    ...idleAuthority(raw),
    ...faults.flatMap((fault, index) => strangeInstant(['target', 'faults', index, 'at'], fault?.at, names)),
    ...strangeInstant(['target', 'pull', 'configAt'], pull?.configAt, names),
    ...pullFindings(file, raw),
  ];
}

/** Keys that apply only to the embedded server. */
const EMBEDDED_ONLY = [['dialect'], ['faults'], ['tls', 'serve'], ['pull']] as const;

function twoTargets(raw: unknown): readonly Finding[] {
  const [url, urls] = ['url', 'urls'].map((key) => valueAtPath(raw, ['target', key]));
  if (url === undefined || urls === undefined) return [];
  return [keyFinding(['target', 'urls'], 'either url for all agents, or urls to distribute agents', 'both')];
}

/** Each base URL needs at least one connection. */
function tooFewConnections({ fleet, target }: PartialTarget): readonly Finding[] {
  const { connections } = fleet ?? {};
  const urls = target?.urls?.length ?? 0;
  if (connections === undefined || connections === 'per-agent' || connections.shared >= urls) return [];
  const expected = `at least one shared connection per base URL of target.urls, ${urls} or more`;
  return [valueFinding(['fleet', 'connections', 'shared'], expected, String(connections.shared))];
}

function misdirectedKeys(raw: unknown): readonly Finding[] {
  const several = valueAtPath(raw, ['target', 'urls', 0]);
  const url = several ?? valueAtPath(raw, ['target', 'url']);
  if (typeof url !== 'string' || url === 'embedded') return [];
  return EMBEDDED_ONLY.filter((keys) => valueAtPath(raw, ['target', ...keys]) !== undefined).map((keys) =>
    keyFinding(['target', ...keys], `${keys.join('.')} only with url: embedded`, `it with ${quoted(displayUrl(url))}`),
  );
}

/** A CA without effect: a user who sets one expects verification. */
function idleAuthority(raw: unknown): readonly Finding[] {
  const tlsPath = ['target', 'tls'] as const;
  const [ca, verify] = ['ca', 'verify'].map((key) => valueAtPath(raw, [...tlsPath, key]));
  if (ca === undefined || (verify !== undefined && verify !== false && verify !== 'false')) return [];
  return [keyFinding([...tlsPath, 'ca'], 'tls.ca only with tls.verify: true', 'agents that accept any certificate')];
}

/** Faults and pushed configurations without effect: the run ends before them, or no phase has such requests. */
export function idleTarget({ faults, pull }: Target, phases: readonly Phase[]): readonly Finding[] {
  const planned = [...new Set(phases.flatMap(({ loads }) => plannedBy(loads.map(({ operation }) => operation))))];
  const idle = faults.flatMap((fault, index) => {
    if (!('operations' in fault) || fault.operations.some((operation) => planned.includes(operation))) return [];
    const expected = `operations that a phase plans; ${planned.length === 0 ? 'no phase plans any' : `the phases plan ${planned.join(', ')}`}`;
    return [valueFinding(['target', 'faults', index, 'operations'], expected, fault.operations.join(', '))];
  });
  return [
    ...faults.flatMap(({ atMs }, index) => lateInstant(['target', 'faults', index, 'at'], atMs, phases)),
    ...idle,
    ...lateInstant(['target', 'pull', 'configAt'], pull?.configAtMs, phases),
  ];
}
