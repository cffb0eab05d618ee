import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PullEnding } from '../../../src/base/protocol/pull.ts';
import { RequestError, type Signer } from '../../../src/wire/poller/authority.ts';
import {
  confirmExchange,
  EXCHANGE_FAILURES,
  type ExchangeResult,
  exchangeFirst,
} from '../../../src/wire/poller/exchange.ts';
import type { Send } from '../../../src/wire/poller/requests.ts';

const BYTES = { sentBytes: 0, receivedBytes: 0 };
const signer: Signer = {
  ca: '-----BEGIN CERTIFICATE-----\nY/A=\n-----END CERTIFICATE-----\n',
  sign: async (csr) => {
    if (csr !== 'request') throw new RequestError('no request');
    return '-----BEGIN CERTIFICATE-----\nb/4=\n-----END CERTIFICATE-----\n';
  },
};

type Asked = { readonly secure: boolean; readonly path: string; readonly body?: string };

/** Returns these endings in order, and records the requests. */
function agent(...endings: readonly PullEnding[]): { ask: Send; asked: Asked[] } {
  const asked: Asked[] = [];
  const ask: Send = async (request) => {
    asked.push(request);
    const ending = endings[asked.length - 1];
    if (ending === undefined) throw new Error('asked too often');
    return ending;
  };
  return { ask, asked };
}

const signed = () => Promise.resolve();

function ok(document: unknown): PullEnding {
  const body = typeof document === 'string' ? document : JSON.stringify(document);
  return { kind: 'answer', status: 200, body, ...BYTES };
}

const status = (code: number): PullEnding => ({ kind: 'answer', status: code, body: '', ...BYTES });
const fails = (failure: 'connection_refused' | 'tls_failed' | 'timeout', inHandshake = false): PullEnding => ({
  kind: 'failure',
  failure,
  inHandshake,
  ...BYTES,
});

function codeOf(result: ExchangeResult): number | string {
  return result.kind === 'failed' ? EXCHANGE_FAILURES[result.failure].code : result.kind;
}

const outcomeOf = (result: ExchangeResult) => (result.kind === 'failed' ? result.outcome : 'ok');
const CSR = ok({ csr: 'request' });

describe('the first exchange with an agent', () => {
  it("requests over plain HTTP, and posts certificate and authority in PHP's JSON encoding", async () => {
    const { ask, asked } = agent(CSR, ok(''));
    expect(await exchangeFirst(ask, signer, signed)).toEqual({ kind: 'exchanged' });
    const body = String.raw`{"signed":"-----BEGIN CERTIFICATE-----\nb\/4=\n-----END CERTIFICATE-----\n","ca":"-----BEGIN CERTIFICATE-----\nY\/A=\n-----END CERTIFICATE-----\n"}`;
    expect(asked).toEqual([
      { secure: false, path: '/autotls' },
      { secure: false, path: '/autotls', body },
    ]);
  });

  it.each([
    ['cannot be reached', [fails('connection_refused')], 16, 'connection_refused'],
    ['does not answer in time', [fails('timeout')], 16, 'timeout'],
    [
      'answers 400 over plain HTTP, and over HTTPS refuses the certificate',
      [status(400), fails('tls_failed')],
      16,
      'http_400',
    ],
    ['answers 400 over plain HTTP, and over HTTPS without a request', [status(400), ok({})], 16, 'http_400'],
    ['answers 404', [status(404)], 16, 'http_404'],
    ['answers without JSON', [ok('<html>')], 16, 'unexpected_body'],
    ['answers without a request', [ok({})], 16, 'unexpected_body'],
    ['answers with null instead of a request', [ok({ csr: null })], 16, 'unexpected_body'],
    ['answers with an invalid request', [ok({ csr: 'other' })], 16, 'unexpected_body'],
    ['answers with a number instead of a request', [ok({ csr: 7 })], 16, 'unexpected_body'],
    ['refuses the certificates', [CSR, status(500)], 8, 'http_500'],
    ['is down when the certificates are sent', [CSR, fails('connection_refused')], 8, 'connection_refused'],
  ] as const)('fails if the agent %s', async (_what, endings, code, outcome) => {
    const { ask, asked } = agent(...endings);
    const result = await exchangeFirst(ask, signer, signed);
    expect([codeOf(result), outcomeOf(result)]).toEqual([code, outcome]);
    expect(asked).toHaveLength(endings.length);
  });
});

describe('an agent that uses HTTPS although no exchange is recorded', () => {
  it('answers 400 over plain HTTP, and then gets an HTTPS request with the certificates of this authority', async () => {
    const { ask, asked } = agent(status(400), CSR);
    expect(await exchangeFirst(ask, signer, signed)).toEqual({ kind: 'confirmed' });
    expect(asked).toEqual([
      { secure: false, path: '/autotls' },
      { secure: true, path: '/autotls' },
    ]);
  });
});

it('certificates are sent only after the record of it is stored durably', async () => {
  const { ask, asked } = agent(CSR, ok(''));
  const kept = Promise.withResolvers<void>();
  const result = exchangeFirst(ask, signer, () => kept.promise);
  await setImmediate();
  expect(asked).toHaveLength(1);
  kept.resolve();
  expect(await result).toEqual({ kind: 'exchanged' });
});

describe('an exchange that was done before', () => {
  it('is confirmed with an HTTPS request, and posts nothing', async () => {
    const { ask, asked } = agent(CSR);
    expect(await confirmExchange(ask)).toEqual({ kind: 'confirmed' });
    expect(asked).toEqual([{ secure: true, path: '/autotls' }]);
  });

  it.each([
    ['speaks plain HTTP and has a request', [fails('tls_failed', true), CSR], 1, 'tls_failed'],
    ['fails the handshake, and also plain HTTP', [fails('tls_failed', true), status(400)], 4, 'tls_failed'],
    ['speaks plain HTTP and has no request', [fails('tls_failed', true), ok({})], 4, 'tls_failed'],
    ['refuses the certificate after the handshake', [fails('tls_failed')], 4, 'tls_failed'],
    ['cannot be reached', [fails('connection_refused')], 4, 'connection_refused'],
    ['does not complete the handshake in time', [fails('timeout', true)], 4, 'timeout'],
    ['answers 403 over HTTPS', [status(403)], 4, 'http_403'],
    ['answers over HTTPS without a request', [ok({})], 32, 'unexpected_body'],
    ['answers over HTTPS without JSON', [ok('')], 32, 'unexpected_body'],
  ] as const)('is invalid if the agent %s', async (_what, endings, code, outcome) => {
    const { ask, asked } = agent(...endings);
    const result = await confirmExchange(ask);
    expect([codeOf(result), outcomeOf(result)]).toEqual([code, outcome]);
    expect(asked.map(({ secure }) => secure)).toEqual([true, false].slice(0, endings.length));
    expect(asked.filter(({ body }) => body !== undefined)).toEqual([]);
  });
});
