import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { machineLimits } from '../../src/base/system/limits.ts';
import { selfSigned } from '../../src/wire/http/tls.ts';
import { pinned } from './pinning.ts';
import { PROGRAM_ENVIRONMENT } from './programs.ts';

/**
 * `logged` logs the time of each request, which costs the sink a little. `tls_closing` closes each connection after its answer, so
 * that every request needs a handshake. `http2` speaks HTTP/2 with clients that offer it.
 */
export type SinkKind = 'plain' | 'logged' | 'tls' | 'tls_closing' | 'http2';

/** nginx as a sink: discards bodies as they arrive, and answers like a monitoring server. */
export type Sink = {
  readonly url: string;
  /** PEM file of its certificate. */
  readonly ca: string | undefined;
  readonly pid: number;
  /** Requests so far, and current connections, counted in the same way for every client. */
  readonly count: () => Promise<{ readonly requests: number; readonly connections: number }>;
  /** Times of the requests answered so far, in Unix ms; none unless the sink is `logged`. */
  readonly arrivalsMs: () => Promise<readonly number[]>;
  readonly stop: () => Promise<void>;
};

const STARTS_WITHIN_MS = 5000;
/** nginx writes its log at least once per second. */
const LOG_WRITTEN_MS = 1200;

export async function startSink(kind: SinkKind): Promise<Sink> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-sink-'));
  const ports = { pushes: await freePort(), status: await freePort() };
  const isTls = isOverTls(kind);
  if (isTls) await writeCredentials(folder);
  writeFileSync(join(folder, 'nginx.conf'), configuration(kind, folder, ports));
  const [program, ...args] = pinned('sink', ['nginx', '-p', folder, '-c', join(folder, 'nginx.conf')]);
  const nginx = spawn(program, args, { stdio: 'ignore', env: PROGRAM_ENVIRONMENT });
  const count = counter(`http://127.0.0.1:${ports.status}/`);
  await started(nginx, count);
  return {
    url: `http${isTls ? 's' : ''}://127.0.0.1:${ports.pushes}`,
    ca: isTls ? join(folder, 'cert.pem') : undefined,
    pid: nginx.pid ?? 0,
    count,
    arrivalsMs: async () => {
      if (kind !== 'logged') return [];
      await pause(LOG_WRITTEN_MS);
      return instantsIn(readFileSync(join(folder, 'access.log'), 'utf8'));
    },
    stop: async () => {
      const ended = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function isOverTls(kind: SinkKind): boolean {
  return kind !== 'plain' && kind !== 'logged';
}

function configuration(kind: SinkKind, folder: string, ports: { pushes: number; status: number }): string {
  const descriptors = Math.min(machineLimits().hardFileDescriptors ?? 1024, 100_000);
  const isTls = isOverTls(kind);
  const files = `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;
  // The versions of a monitoring server, which are not the default of older versions of nginx.
  const tls = `${files} ssl_protocols TLSv1.2 TLSv1.3;`;
  return `
daemon off; master_process off; pid ${folder}/nginx.pid; error_log /dev/null crit;
worker_rlimit_nofile ${descriptors};
events { worker_connections ${descriptors - 16}; }
http {
  log_format instants '$msec';
  access_log ${kind === 'logged' ? `${folder}/access.log instants buffer=256k flush=1s` : 'off'};
  client_max_body_size 0; keepalive_requests 1000000000; keepalive_timeout ${kind === 'tls_closing' ? 0 : 600}s;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  server {
    listen 127.0.0.1:${ports.pushes} ${isTls ? 'ssl' : ''} ${kind === 'http2' ? 'http2' : ''} backlog=16384;
    ${isTls ? tls : ''}
    location / { default_type application/json; return 200 '{"received_checks":21}'; }
  }
  server { listen 127.0.0.1:${ports.status}; location / { access_log off; stub_status; } }
}`;
}

async function writeCredentials(folder: string): Promise<void> {
  const { certificate, key } = await selfSigned(['127.0.0.1']);
  writeFileSync(join(folder, 'cert.pem'), certificate);
  writeFileSync(join(folder, 'key.pem'), key);
}

/** Excludes its own requests. */
function counter(url: string): Sink['count'] {
  let asked = 0;
  return async () => {
    const answer = await fetch(url);
    const text = await answer.text();
    asked++;
    const [, connections] = /Active connections: (\d+)/.exec(text) ?? [];
    const [, requests] = /\n \d+ \d+ (\d+)/.exec(text) ?? [];
    return { requests: Number(requests) - asked, connections: Number(connections) - 1 };
  };
}

async function started(nginx: ChildProcess, count: Sink['count']): Promise<void> {
  for (const untilMs = performance.now() + STARTS_WITHIN_MS; performance.now() < untilMs; await pause(25)) {
    if (nginx.exitCode !== null) break;
    try {
      await count();
      return;
    } catch {
      // Not listening yet.
    }
  }
  nginx.kill('SIGKILL');
  throw new Error('nginx did not start');
}

/** Parses seconds with three decimals, one per line. The last line may be incomplete. */
function instantsIn(log: string): readonly number[] {
  return log
    .split('\n')
    .slice(0, -1)
    .map((line) => Math.round(Number(line) * 1000));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
