import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A third-party receiver in its own process. */
export type ForeignReceiver = {
  /** The value of `--otlp`. */
  readonly otlp: string;
  readonly url: string;
  readonly close: () => Promise<void>;
};

const PROMETHEUS = process.env.PROMETHEUS ?? 'prometheus';
const OTELCOL = process.env.OTELCOL ?? 'otelcol';
const TIME_LIMIT_MS = 60_000;

/** Its flag since version 3. A program that `go install` built does not know its version. */
const OTLP_RECEIVER = 'web.enable-otlp-receiver';

/** Why Prometheus is unavailable; undefined if it is available. */
export function prometheusMissing(): string | undefined {
  const { status, stdout, stderr } = spawnSync(PROMETHEUS, ['--help'], { encoding: 'utf8', timeout: TIME_LIMIT_MS });
  if (status !== 0) return `there is no ${PROMETHEUS}`;
  return `${stdout}${stderr}`.includes(OTLP_RECEIVER) ? undefined : `${PROMETHEUS} is older than version 3`;
}

/** Why the OpenTelemetry Collector is unavailable; undefined if it is available. */
export function collectorMissing(): string | undefined {
  return spawnSync(OTELCOL, ['--version'], { timeout: TIME_LIMIT_MS }).status === 0
    ? undefined
    : `there is no ${OTELCOL}`;
}

/** Prometheus with its OTLP receiver and an empty database. With rules, which it evaluates each second, series end after five seconds. */
export async function startPrometheus(rules = ''): Promise<ForeignReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-prometheus-'));
  const [config, port] = [join(folder, 'prometheus.yml'), await freePort()];
  writeFileSync(join(folder, 'rules.yml'), rules);
  writeFileSync(config, 'global: { evaluation_interval: 1s }\nrule_files: [rules.yml]\n');
  const url = `http://127.0.0.1:${port}`;
  const close = await started(PROMETHEUS, 'Server is ready to receive web requests', [
    ...[`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`],
    ...[`--web.listen-address=127.0.0.1:${port}`, `--${OTLP_RECEIVER}`],
    ...(rules === '' ? [] : ['--query.lookback-delta=5s']),
  ]);
  return { otlp: `${url}/api/v1/otlp`, url, close: () => close().then(() => rmSync(folder, { recursive: true })) };
}

/** A collector that forwards what it receives as JSON. */
export async function startCollector(sendTo: string): Promise<ForeignReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-otelcol-'));
  const [config, port] = [join(folder, 'otelcol.yaml'), await freePort()];
  const settings = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: {
      otlp_http: {
        endpoint: sendTo,
        encoding: 'json',
        compression: 'none',
        sending_queue: { enabled: false },
        retry_on_failure: { enabled: false },
      },
    },
    service: {
      pipelines: { metrics: { receivers: ['otlp'], exporters: ['otlp_http'] } },
      telemetry: { metrics: { level: 'none' } },
    },
  };
  writeFileSync(config, JSON.stringify(settings));
  const close = await started(OTELCOL, 'Everything is ready', [`--config=${config}`]);
  const url = `http://127.0.0.1:${port}`;
  return { otlp: url, url, close: () => close().then(() => rmSync(folder, { recursive: true })) };
}

/** Resolves once a program reports that it is ready; the result stops it. */
async function started(program: string, ready: string, args: readonly string[]): Promise<() => Promise<void>> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (!line.includes(ready)) continue;
    child.stderr.resume();
    return async () => {
      child.kill('SIGKILL');
      await ended;
    };
  }
  throw new Error(`${program} did not start:\n${lines.join('\n')}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
