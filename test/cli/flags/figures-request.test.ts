import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { figuresRequest, otlpOrder } from '../../../src/cli/flags/figures-request.ts';
import type { Variables } from '../../../src/scenario/reading/variables.ts';
import { selfSigned } from '../../../src/wire/http/tls.ts';

let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-figures-'));
  writeFileSync(join(cwd, 'token'), 'of-a-file\n');
  writeFileSync(join(cwd, 'empty'), '\n');
  writeFileSync(join(cwd, 'ca.pem'), 'no certificate');
  const [client, other] = [await selfSigned(['client']), await selfSigned(['other'])];
  writeFileSync(join(cwd, 'client.pem'), client.certificate);
  writeFileSync(join(cwd, 'client.key'), client.key);
  writeFileSync(join(cwd, 'other.key'), other.key);
});
afterAll(() => rmSync(cwd, { recursive: true }));

const metricsOf = async (address: string | undefined, environment: Variables = {}) =>
  (await figuresRequest({ 'metrics-address': address, otlp: undefined }, { environment, cwd })).metrics;

const otlpOf = (otlp: string | undefined, environment: Variables = {}) => otlpOrder({ otlp }, { environment, cwd });

describe('the metrics address', () => {
  it.each([
    ['127.0.0.1:9464', '127.0.0.1', 9464],
    ['127.8.0.1:1', '127.8.0.1', 1],
    ['[::1]:0', '::1', 0],
    ['localhost:9464', 'localhost', 9464],
    [':9464', '127.0.0.1', 9464],
    ['9464', '127.0.0.1', 9464],
  ])('%s is on loopback, and needs no token', async (text, host, port) => {
    expect(await metricsOf(text)).toEqual({ address: { host, port }, token: undefined });
  });

  it.each(['0.0.0.0:9464', '[::]:9464', '192.0.2.1:9464', '127.evil.example:1', 'example.org:9464'])(
    '%s is reachable from other machines, and is rejected without a token',
    async (text) => {
      await expect(metricsOf(text)).rejects.toThrow(
        `--metrics-address: ${text} is reachable from other machines, so clients need a token: expected one in ` +
          'MUSTER_METRICS_TOKEN, or in the file that MUSTER_METRICS_TOKEN_FILE names, found neither.',
      );
      await expect(metricsOf(text, { MUSTER_METRICS_TOKEN: '' })).rejects.toThrow('found neither');
      expect(await metricsOf(text, { MUSTER_METRICS_TOKEN: 'secret' })).toMatchObject({ token: 'secret' });
    },
  );

  it('may come from the environment, with a token from a file', async () => {
    const environment = { MUSTER_METRICS_ADDRESS: '0.0.0.0:1', MUSTER_METRICS_TOKEN_FILE: 'token' };
    expect(await metricsOf(undefined, environment)).toEqual({
      address: { host: '0.0.0.0', port: 1 },
      token: 'of-a-file',
    });
    await expect(metricsOf(':1', { MUSTER_METRICS_TOKEN_FILE: 'empty' })).rejects.toThrow(
      'MUSTER_METRICS_TOKEN_FILE: expected a token in empty, found an empty file.',
    );
    await expect(metricsOf(':1', { MUSTER_METRICS_TOKEN_FILE: 'none' })).rejects.toThrow('none');
    await expect(metricsOf(undefined, { MUSTER_METRICS_ADDRESS: 'on' })).rejects.toThrow(
      'MUSTER_METRICS_ADDRESS: expected an address such as 127.0.0.1:9464, :9464 or 9464, found "on".',
    );
  });
});

describe('a token that no client can send', () => {
  const SENTENCE =
    'expected a token that clients can send, up to 4096 printable ASCII characters without blanks, found another text.';

  it.each([' ', 'two words', 'ends with a line\n', 'pässwörd', 'a\u0000b', 'x'.repeat(4097)])(
    'is rejected: %j',
    async (token) => {
      const refusal = metricsOf('0.0.0.0:1', { MUSTER_METRICS_TOKEN: token });
      await expect(refusal).rejects.toThrow(`MUSTER_METRICS_TOKEN: ${SENTENCE}`);
    },
  );

  it('is rejected in a file, too', async () => {
    writeFileSync(join(cwd, 'lines'), 'one\ntwo\n');
    const refusal = metricsOf(':1', { MUSTER_METRICS_TOKEN_FILE: 'lines' });
    await expect(refusal).rejects.toThrow(`MUSTER_METRICS_TOKEN_FILE: ${SENTENCE}`);
  });
});

describe('the OTLP receiver', () => {
  const FLAG = 'http://127.0.0.1:4318';

  it.each([
    [FLAG, {}, 'http://127.0.0.1:4318/v1/metrics'],
    ['http://127.0.0.1:9090/api/v1/otlp/', {}, 'http://127.0.0.1:9090/api/v1/otlp/v1/metrics'],
    ['https://mon.example/v1/metrics?key=k', {}, 'https://mon.example/v1/metrics?key=k'],
    [FLAG, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other' }, 'http://127.0.0.1:4318/v1/metrics'],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:1' }, 'http://all:1/v1/metrics'],
    [
      undefined,
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:1', OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://own:2' },
      'http://own:2/',
    ],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all', OTEL_SDK_DISABLED: 'TRUE' }, undefined],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all', OTEL_METRICS_EXPORTER: 'none' }, undefined],
    [FLAG, { OTEL_METRICS_EXPORTER: 'none' }, 'http://127.0.0.1:4318/v1/metrics'],
    [undefined, {}, undefined],
  ])('for --otlp %s with %j is %s', async (flag, environment, url) => {
    expect((await otlpOf(flag, environment))?.url).toBe(url);
  });

  it('follows the variables of OpenTelemetry, and those for metrics take precedence', async () => {
    expect(await otlpOf('http://user:secret@127.0.0.1:4318/?key=k')).toEqual({
      url: 'http://user:secret@127.0.0.1:4318/v1/metrics?key=k',
      shown: 'http://127.0.0.1:4318/v1/metrics?…',
      headers: { 'Content-Type': 'application/x-protobuf', 'User-Agent': 'muster' },
      tls: {},
      intervalMs: 10_000,
      timeoutMs: 10_000,
      gzip: false,
      attributes: {},
      warnings: [],
      proxies: { httpProxy: '', httpsProxy: '', noProxy: '' },
    });
    const environment = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20dTpw, x-all=1,',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-all=2',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
      OTEL_METRIC_EXPORT_INTERVAL: '60000',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment=a%2Cb',
      OTEL_SERVICE_NAME: 'nightly',
    };
    expect(await otlpOf(FLAG, environment)).toMatchObject({
      headers: { authorization: 'Basic dTpw', 'x-all': '2', 'Content-Encoding': 'gzip' },
      intervalMs: 60_000,
      timeoutMs: 2500,
      gzip: true,
      attributes: { 'service.name': 'nightly', 'deployment.environment': 'a,b' },
    });
  });

  it('is reached through the proxies of the environment, whose names may be in lower case', async () => {
    const environment = {
      http_proxy: 'http://a:1',
      HTTP_PROXY: 'http://b:2',
      HTTPS_PROXY: 'http://c:3',
      no_proxy: '.d',
    };
    const { proxies } = (await otlpOf(FLAG, environment)) ?? {};
    expect(proxies).toEqual({ httpProxy: 'http://a:1', httpsProxy: 'http://c:3', noProxy: '.d' });
  });

  it('gets cumulative sums, and a warning if others are preferred', async () => {
    const preferring = async (value: string) =>
      (await otlpOf(FLAG, { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: value }))?.warnings;
    expect(await preferring('Cumulative')).toEqual([]);
    expect(await preferring('delta')).toEqual([
      'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE="delta": Muster sends cumulative sums; the processor cumulativetodelta of a collector converts them',
    ]);
  });

  it('may require a client certificate and its key', async () => {
    const environment = {
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: 'client.pem',
      OTEL_EXPORTER_OTLP_CLIENT_KEY: 'client.key',
    };
    expect(Object.keys((await otlpOf(FLAG, environment))?.tls ?? {})).toEqual(['cert', 'key']);
  });

  it.each([
    [
      '127.0.0.1:4318',
      {},
      '--otlp: expected the http or https URL of an OTLP receiver such as http://127.0.0.1:4318, found',
    ],
    ['grpc://127.0.0.1:4317', {}, '--otlp: expected the http or https URL'],
    [FLAG, { OTEL_SDK_DISABLED: 'true' }, '--otlp sets a receiver, but OTEL_SDK_DISABLED=true disables OpenTelemetry'],
    [
      FLAG,
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf, the only protocol',
    ],
    [
      FLAG,
      { OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' },
      'OTEL_EXPORTER_OTLP_COMPRESSION: expected none or gzip, found "zstd".',
    ],
    [
      FLAG,
      { OTEL_METRIC_EXPORT_INTERVAL: '5s' },
      'OTEL_METRIC_EXPORT_INTERVAL: expected whole milliseconds from 1000 to 999999999, found "5s".',
    ],
    [FLAG, { OTEL_METRIC_EXPORT_INTERVAL: '10' }, 'from 1000 to 999999999, found "10".'],
    [FLAG, { OTEL_EXPORTER_OTLP_TIMEOUT: '1000000000' }, 'from 1 to 999999999, found "1000000000".'],
    [FLAG, { OTEL_EXPORTER_OTLP_CERTIFICATE: 'ca.pem' }, 'ca.pem cannot be used'],
    [
      FLAG,
      { OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: 'client.pem' },
      'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: expected OTEL_EXPORTER_OTLP_CLIENT_KEY with it, found none; set both or neither.',
    ],
    [
      FLAG,
      { OTEL_EXPORTER_OTLP_CLIENT_KEY: 'other.key' },
      'OTEL_EXPORTER_OTLP_CLIENT_KEY: expected OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE with it, found none; set both or neither.',
    ],
    [
      FLAG,
      { OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: 'client.pem', OTEL_EXPORTER_OTLP_CLIENT_KEY: 'other.key' },
      'OTEL_EXPORTER_OTLP_CLIENT_KEY: expected the key of client.pem, found the key of another certificate in other.key.',
    ],
    [
      FLAG,
      { OTEL_EXPORTER_OTLP_HEADERS: 'a=b,Transfer-Encoding=chunked' },
      'other than transfer-encoding, which Muster',
    ],
    ['http://%ff:x@127.0.0.1:4318', {}, 'OTLP receiver such as http://127.0.0.1:4318, found "http://127.0.0.1:4318".'],
  ])('is rejected in one sentence: --otlp %s with %j', async (flag, environment, sentence) => {
    await expect(otlpOf(flag, environment)).rejects.toThrow(sentence);
  });

  it.each(['secret', 'authorization=a,secret', 'a=%zz%secret', 'a b=secret', 'x=secret%0d%0ay: z', '=secret'])(
    'is rejected for invalid headers without printing them: %s',
    async (headers) => {
      const refusal = otlpOf(FLAG, { OTEL_EXPORTER_OTLP_HEADERS: headers });
      await expect(refusal).rejects.toThrow(/^OTEL_EXPORTER_OTLP_HEADERS: expected .* in entry \d\.$/);
      await expect(refusal).rejects.not.toThrow('secret');
    },
  );
});
