import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Sink = { readonly port: number; stop(): Promise<void> };

/** nginx as a bare sink: reads every body, throws it away and answers as a monitoring server answers a push. */
export async function startNginxSink(): Promise<Sink> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-sink-'));
  const port = await freePort();
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port));
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  await listening(port);
  return {
    port,
    stop: async () => {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

function configuration(folder: string, port: number): string {
  return `
daemon off; master_process off; pid ${folder}/nginx.pid; error_log /dev/null crit;
worker_rlimit_nofile 20000;
events { worker_connections 16000; }
http {
  access_log off; client_max_body_size 0; keepalive_requests 1000000000; keepalive_timeout 600s;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  server {
    listen 127.0.0.1:${port} backlog=16384;
    location / { default_type application/json; return 200 '{"received_checks":21}'; }
  }
}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const socket = connect(port, '127.0.0.1');
    const connected = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (connected) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`nginx does not listen on port ${port}`);
}
