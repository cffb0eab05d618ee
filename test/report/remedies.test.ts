import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { generatedPart } from '../../scripts/generated-parts.ts';
import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../src/base/protocol/operations.ts';
import type { Outcome } from '../../src/metrics/recording/outcomes.ts';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import { reportPage } from '../../src/report/html/page.ts';
import { junitXml } from '../../src/report/junit.ts';
import { stepSummary } from '../../src/report/markdown.ts';
import { PLAIN } from '../../src/report/palette.ts';
import { REMEDIES, remediesOf, remedyOf } from '../../src/report/remedies.ts';
import { quietText, summaryText } from '../../src/report/summary-text.ts';
import { shortReport } from './html/reports.ts';
import { badSummary, invalidSummary, unreachableSummary } from './summaries.ts';

/** The compiler names an outcome that is missing. */
const FAILURES: Readonly<Record<Exclude<Outcome, `http_${number}` | 'waiting' | 'canceled'>, true>> = {
  ok: true,
  connection_refused: true,
  connection_reset: true,
  connection_failed: true,
  name_not_resolved: true,
  no_file_descriptor: true,
  no_local_port: true,
  tls_failed: true,
  proxy_failed: true,
  timeout: true,
  malformed_answer: true,
  unexpected_body: true,
  client_gone: true,
};
const STATUSES = [
  101, 202, 204, 302, 307, 400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 411, 413, 415, 418, 421,
].concat([422, 429, 431, 451, 496, 500, 501, 502, 503, 504, 507, 511, 520, 522, 527, 530, 599]);

type Answer = readonly [
  what: string,
  failure: { operation?: MeasuredOperation; outcome: Outcome; reason?: string; head?: string; body?: string },
  target: { apiKey?: string; identities?: string },
  remedy: RegExp,
];

const KEY = { apiKey: '${MUSTER_API_KEY}' };
const KEPT = { identities: './hosts.db' };
const TOKEN = '"_csrfToken":null}';

/** What real servers and proxies answer, in words of this test, and how transports report what failed below HTTP. */
const ANSWERS: readonly Answer[] = [
  // openITCOCKPIT
  [
    'a push without a key',
    { outcome: 'http_403', body: '{"message":"CSRF cookie is missing","code":403}' },
    {},
    /expects an API key: set --api-key/,
  ],
  [
    'a key that a proxy took off',
    { outcome: 'http_403', body: '{"message":"No CSRF token found"}' },
    KEY,
    /pass on the header Authorization/,
  ],
  [
    'a known agent',
    { operation: 'register', outcome: 'http_403', body: `{"error":"this UUID has a password",${TOKEN}` },
    KEY,
    /already knows these agents.*another --seed/,
  ],
  [
    'a known agent whose password is kept nowhere',
    { operation: 'register', outcome: 'http_403', body: `{"error":"registered",${TOKEN}` },
    KEPT,
    /identity file lacks/,
  ],
  ['a wrong key', { operation: 'register', outcome: 'http_401' }, KEY, /does not accept the API key: create one/],
  ['no key, 401', { operation: 'register', outcome: 'http_401' }, {}, /requires an API key: set/],
  [
    'a push without a host',
    { outcome: 'http_400', body: `{"error":"no such host",${TOKEN}` },
    {},
    /until a host is assigned.*muster provision/,
  ],
  [
    'a push without a host, passwords kept',
    { outcome: 'http_400', body: `{"error":"no such host",${TOKEN}` },
    KEPT,
    /muster provision FILE with this --seed assigns hosts/,
  ],
  [
    'a forgotten agent',
    { operation: 'authorize', outcome: 'http_404', body: `{"error":"unknown pair",${TOKEN}` },
    KEPT,
    /as after muster cleanup: remove the file/,
  ],
  [
    'packages before 5.5',
    { operation: 'packages', outcome: 'http_404', body: '{"message":"Missing","code":404}' },
    {},
    /remove packages from the phases/,
  ],
  ['another path', { outcome: 'http_404', body: '<html>missing</html>' }, {}, /check target\.url/],
  [
    'a name that is too long',
    { operation: 'register', outcome: 'http_400', body: `{"error":{"hostname":{"maxLength":"is long"}},${TOKEN}` },
    KEY,
    /the evidence says why/,
  ],
  ['an exception', { outcome: 'http_500', body: '{"message":"Internal trouble"}' }, {}, /read its log/],
  [
    'the web interface after a redirect',
    { outcome: 'malformed_answer', head: 'HTTP/1.1 200 OK', body: '\n<!DOCTYPE html><title>Sign in</title>' },
    {},
    /an HTML page, such as a login page/,
  ],
  [
    'a redirect to HTTPS',
    { operation: 'register', outcome: 'http_405', body: '{"message":"Not that method"}' },
    KEY,
    /after a redirect.*final address/,
  ],
  // nginx
  [
    'HTTP to its TLS port',
    { outcome: 'http_400', body: '<html><center>The plain HTTP request arrived at an HTTPS port</center>' },
    {},
    /expects TLS: use https/,
  ],
  ['a body above its limit', { outcome: 'http_413', body: '<html>413</html>' }, {}, /client_max_body_size/],
  ['no PHP behind it', { outcome: 'http_502', body: '<html>502</html>' }, {}, /start that server/],
  ['slow PHP behind it', { outcome: 'http_504', body: '<html>504</html>' }, {}, /fastcgi_read_timeout/],
  ['limit_req', { outcome: 'http_503', body: '<html>503</html>' }, {}, /limit_req/],
  ['limit_req with its other status', { outcome: 'http_429' }, {}, /limits the rate/],
  [
    'auth_basic',
    {
      operation: 'register',
      outcome: 'http_401',
      head: 'HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Basic realm="x"',
    },
    KEY,
    /asks for a login/,
  ],
  [
    'ssl_verify_client',
    { outcome: 'http_400', body: '<html>No SSL certificate of the client was sent, and one is required</html>' },
    {},
    /client certificate/,
  ],
  [
    'a long head',
    { outcome: 'http_400', body: '<html>Header or cookie is too large</html>' },
    {},
    /large_client_header_buffers/,
  ],
  ['deny', { operation: 'register', outcome: 'http_403', body: '<html>403</html>' }, KEY, /a proxy or firewall/],
  // Apache, IIS, Go, Django, HAProxy, Cloudflare
  [
    'HTTP to the TLS port of Apache',
    { outcome: 'http_400', body: 'You use plain HTTP at an SSL-enabled server port.' },
    {},
    /use https/,
  ],
  [
    'HTTP to the TLS port of Go',
    { outcome: 'http_400', head: 'HTTP/1.0 400 Bad Request', body: 'This was an HTTP request to an HTTPS server.' },
    {},
    /use https/,
  ],
  [
    'an unknown host at IIS',
    { outcome: 'http_400', body: '<h2>Invalid hostname</h2>' },
    {},
    /does not know the host name/,
  ],
  [
    'an unknown host at an HTTP/2 server',
    { outcome: 'http_421', body: 'Misdirected' },
    {},
    /does not know the host name/,
  ],
  [
    'no server behind HAProxy',
    { outcome: 'http_503', body: '<html>nobody serves this now</html>' },
    {},
    /overloaded, in maintenance/,
  ],
  [
    'Cloudflare without its origin',
    { outcome: 'http_522', body: '<html>timed out</html>' },
    {},
    /content delivery network/,
  ],
  [
    'HTTP to a TLS server that sends an alert',
    { outcome: 'malformed_answer', head: String.raw`\u0015\u0003\u0003\u0000\u0002\u0002F` },
    {},
    /use https/,
  ],
  ['SSH', { outcome: 'malformed_answer', head: 'SSH-2.0-OpenSSH_10.0' }, {}, /no web server/],
  [
    'a wrong body',
    { outcome: 'malformed_answer', head: 'HTTP/1.1 200 OK', body: 'yes' },
    {},
    /another application may answer/,
  ],
  ['an error with status 200', { outcome: 'ok', body: '{"error":"the database is gone"}' }, {}, /with an error/],
  ['nothing with status 200', { outcome: 'ok', head: 'HTTP/1.1 200 OK' }, {}, /without a confirmation/],
  ['success false', { outcome: 'unexpected_body', body: '{"success":false}' }, {}, /contradicts its status/],
  // Squid and other forward proxies
  [
    'a proxy with a login',
    {
      outcome: 'proxy_failed',
      reason:
        'never connected, because the proxy did not open a tunnel: CONNECT was answered HTTP/1.1 407 Proxy Authentication Required',
    },
    {},
    /user and password/,
  ],
  [
    'a proxy with SSL_ports',
    { outcome: 'proxy_failed', reason: 'CONNECT was answered HTTP/1.1 403 Forbidden' },
    {},
    /permit/,
  ],
  [
    'a proxy without a way',
    { outcome: 'proxy_failed', reason: 'CONNECT was answered HTTP/1.1 503 Service Unavailable' },
    {},
    /does not reach https:\/\/push\.example/,
  ],
  [
    'no proxy',
    { outcome: 'proxy_failed', reason: 'never connected: connect ECONNREFUSED 127.0.0.1:3128' },
    {},
    /is down, or is none/,
  ],
  ['a forward proxy with a login', { outcome: 'http_407' }, {}, /USER:PASSWORD/],
  // Below HTTP
  [
    'no server',
    {
      operation: 'register',
      outcome: 'connection_refused',
      reason: 'never connected: connect ECONNREFUSED 127.0.0.1:8080',
    },
    {},
    /start the server.*curl -v https:\/\/push\.example\/base must connect/,
  ],
  [
    'no name',
    { outcome: 'name_not_resolved', reason: 'never connected: resolve push.exmaple: no address' },
    {},
    /getent hosts/,
  ],
  [
    'a name that moved',
    { outcome: 'name_not_resolved', reason: 'resolve a: 192.0.2.1, which is not this machine, and not allowed' },
    {},
    /--allow HOST/,
  ],
  [
    'HTTPS to a plain port',
    {
      outcome: 'tls_failed',
      reason:
        'never connected, because the TLS handshake did not complete: ERR_SSL_WRONG_VERSION_NUMBER: wrong version number',
    },
    {},
    /speaks no TLS: use http:/,
  ],
  [
    'a private CA',
    { outcome: 'tls_failed', reason: 'SELF_SIGNED_CERT_IN_CHAIN: not trusted; certificate CN=a' },
    {},
    /target\.tls\.ca/,
  ],
  [
    'another name',
    { outcome: 'tls_failed', reason: 'NAME_MISMATCH: its subjectAltName must have a; certificate CN=b' },
    {},
    /belongs to another name/,
  ],
  [
    'an old certificate',
    { outcome: 'tls_failed', reason: 'CERT_HAS_EXPIRED: a certificate of its chain has expired' },
    {},
    /renew it/,
  ],
  ['a firewall', { outcome: 'timeout', reason: 'never connected' }, {}, /drops packets/],
  // Muster ignores HTTPS_PROXY unless told, and curl does not.
  ['a firewall with a proxy', { outcome: 'timeout', reason: 'never connected' }, {}, /its proxy as target\.proxy/],
  [
    'a network without a way but a proxy',
    { outcome: 'connection_failed', reason: 'never connected: connect ENETUNREACH 192.0.2.1:443' },
    {},
    /its proxy as target\.proxy/,
  ],
  [
    'a name that only a proxy knows',
    { outcome: 'name_not_resolved', reason: 'never connected: resolve mon.example: no address' },
    {},
    /unless you set target\.proxy/,
  ],
  [
    'a slow server',
    { outcome: 'timeout', reason: 'never answered, though the request was sent' },
    {},
    /muster capacity/,
  ],
  [
    'a crash',
    { outcome: 'connection_reset', reason: 'never answered, though the request was sent: ended by the peer' },
    {},
    /without an answer/,
  ],
  ['an impatient poller', { operation: 'serve-checkdata', outcome: 'client_gone' }, {}, /compare its timeout/],
  ['a poller with another password', { operation: 'serve-checkdata', outcome: 'http_401' }, {}, /webServer\.basicAuth/],
];

const BAD = badSummary();

/** A run that failed, with these failures. */
function failedWith(
  failures: readonly Answer[1][],
  { apiKey, identities }: Answer[2] = {},
  summary: Summary = BAD,
): Summary {
  const evidence = failures.map(({ operation = 'checkdata', ...seen }) => ({
    phase: 'steady',
    agent: 1,
    atMs: 1,
    operation,
    ...seen,
  }));
  const scenario = {
    target: { url: 'https://push.example/base', ...(apiKey && { apiKey }) },
    fleet: { ...(identities && { identities }) },
  };
  return { ...summary, warnings: [], thresholds: [], evidence, scenario };
}

describe('the remedy', () => {
  it.each(ANSWERS)('for %s names its cause and what to do next', (_, failure, target, remedy) => {
    expect(remediesOf(failedWith([failure], target))).toEqual([expect.stringMatching(remedy)]);
  });

  it.each(Object.keys(FAILURES) as Outcome[])('exists for each operation that ends as %s', (outcome) => {
    const without = MEASURED_OPERATIONS.filter(
      (operation) => remedyOf({ operation, outcome }, { hasKey: false, isKept: false }) === undefined,
    );
    expect(without).toEqual([]);
  });

  it('exists for each operation and status', () => {
    const without = STATUSES.flatMap((status) =>
      MEASURED_OPERATIONS.filter(
        (operation) => remedyOf({ operation, outcome: `http_${status}` }, { hasKey: true, isKept: true }) === undefined,
      ).map((operation) => `${operation} ${status}`),
    );
    expect(without).toEqual([]);
  });

  it('names known operations, conditions and keys only, and each row a cause and a remedy', () => {
    const row = z.strictObject({
      outcomes: z.array(z.string().regex(/^[a-z_]+[\dN]*$/)).min(1),
      operations: z.array(z.enum(MEASURED_OPERATIONS)).min(1).optional(),
      evidence: z.array(z.string().min(1)).min(1).optional(),
      when: z.strictObject({ hasKey: z.boolean().optional(), isKept: z.boolean().optional() }).optional(),
      cause: z.string().min(1),
      remedy: z.string().min(1),
    });
    expect(z.array(row).safeParse(REMEDIES).error?.message).toBeUndefined();
  });

  it('is in the last five lines of the summary, with its cause, and fits three lines', () => {
    for (const [, failure, target, remedy] of ANSWERS) {
      const lines = summaryText(failedWith([failure], target), 'results/a', { ...PLAIN, columns: 80 })
        .trimEnd()
        .split('\n');
      expect(lines.slice(-5).join(' ').replaceAll(/\s+/g, ' ')).toMatch(remedy);
    }
  });

  it('is the same in the text, the quiet text, the report, JUnit and Markdown', () => {
    const assets = { plotScript: '', pageScript: '', style: '', terms: [] };
    for (const [, failure, target] of ANSWERS) {
      const summary = failedWith([failure], target);
      const [remedy = ''] = remediesOf(summary);
      const spaceless = (text: string) => text.replaceAll(/[\s\\]+/g, '');
      const plain = (markup: string) =>
        markup
          .replaceAll(/<[^>]*>/g, '')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&');
      const page = plain(reportPage({ ...shortReport(), summary }, assets));
      for (const text of [
        summaryText(summary, 'a', PLAIN),
        quietText(summary, PLAIN),
        page,
        plain(junitXml([summary])),
        stepSummary(summary),
      ])
        expect(spaceless(text)).toContain(spaceless(remedy));
    }
  });

  it('is on the page for troubleshooting (npm run reference)', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/how-to/troubleshooting.md'), 'utf8');
    expect(page).toContain(generatedPart('remedies'));
    expect(generatedPart('remedies').match(/^\| `/gm)).toHaveLength(REMEDIES.length);
  });
});

describe('the remedies of a run', () => {
  const FORGOTTEN = { operation: 'authorize', outcome: 'http_404' } as const;
  const UNASSIGNED = { outcome: 'http_400' } as const;

  it('after muster cleanup say one thing, because pushes fail for the same reason', () => {
    expect(remediesOf(failedWith([UNASSIGNED, FORGOTTEN], KEPT))).toEqual([
      expect.stringMatching(/forgotten.*remove the file of fleet\.identities/),
    ]);
  });

  it('leave out that a machine was too busy if nothing reached the target', () => {
    const refused = { operation: 'register', outcome: 'connection_refused' } as const;
    const unjudged = { kind: 'operation', operation: 'checkdata', text: 'p(95) < 20ms', unit: 'milliseconds' } as const;
    const thresholds = [{ ...unjudged, passed: false, unjudged: 'late' }];
    const of = (summary: Summary) => remediesOf({ ...failedWith([refused], {}, summary), thresholds });
    expect(of(unreachableSummary())).toEqual([expect.stringContaining('nothing listens')]);
    expect(of(invalidSummary())[0]).toContain('too little time');
  });

  it('against the embedded server are only those about this machine', () => {
    const failures = [{ outcome: 'http_401' }, { outcome: 'no_file_descriptor' }] as const;
    const summary = { ...failedWith(failures), scenario: { target: { url: 'embedded' } } };
    expect(remediesOf(summary)).toEqual([expect.stringContaining('file descriptor')]);
  });

  it('do not advise to keep passwords whose file lacks them, as after a kill during the registration', () => {
    const refused = { operation: 'register', outcome: 'http_403' } as const;
    const [ephemeral = '', kept = ''] = [{}, KEPT].flatMap((target) => remediesOf(failedWith([refused], target)));
    expect([ephemeral, kept].map((text) => text.includes('with fleet.identities'))).toEqual([true, false]);
  });

  it('never show the query of a URL', () => {
    const scenario = { target: { url: 'https://push.example/base?apikey=secret' } };
    const summary = { ...failedWith([{ outcome: 'connection_refused' }]), scenario };
    expect(remediesOf(summary).join()).not.toContain('secret');
  });
});
