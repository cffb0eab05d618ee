import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Address } from '../../../src/base/kernel/address.ts';
import { type AgentRequest, certificateRequest } from './certificate-request.ts';

export type SeenAtAgent = {
  readonly secure: boolean;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
};

/** An agent with Auto-TLS on one port: plain HTTP first, TLS with a client certificate after the exchange. */
export type AgentServer = {
  readonly address: Address;
  readonly seen: readonly SeenAtAgent[];
  /** Whether it listens with certificates. */
  readonly secured: () => boolean;
  /** Whether it has received certificates, but does not listen with them yet. */
  readonly switching: () => boolean;
  readonly close: () => Promise<void>;
};

type Answer = { readonly status: number; readonly body: string };

/** Starts the agent. `answers`: bodies by method and path that differ from a healthy agent's. */
export async function agentServer(answers: Readonly<Record<string, Answer>> = {}): Promise<AgentServer> {
  const request = await certificateRequest();
  const seen: SeenAtAgent[] = [];
  const healthy = healthyAnswers(request);
  let secured = false;
  let switching = false;
  let server: Server;
  let port = 0;
  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming;
      const body = Buffer.concat(chunks).toString();
      seen.push({ secure: 'encrypted' in incoming.socket, method, path, body, headers });
      const { status, body: text } = answers[`${method} ${path}`] ??
        healthy[`${method} ${path}`] ?? { status: 404, body: '' };
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
      if (method === 'POST' && path === '/autotls' && status === 200) {
        switching = true;
        response.on('finish', () => void secure(JSON.parse(body) as { signed: string; ca: string }));
      }
    });
  };
  const listen = async (next: Server): Promise<void> => {
    server = next;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const secure = async ({ signed, ca }: { signed: string; ca: string }): Promise<void> => {
    await close();
    const credentials = { cert: signed + ca, key: request.key, ca, requestCert: true, rejectUnauthorized: true };
    await listen(createHttpsServer(credentials, serve));
    secured = true;
    switching = false;
  };
  await listen(createHttpServer(serve));
  return {
    address: { host: '127.0.0.1', port },
    seen,
    secured: () => secured,
    switching: () => switching,
    close,
  };
}

function healthyAnswers({ csr }: AgentRequest): Readonly<Record<string, Answer>> {
  const ok = (document: unknown): Answer => ({ status: 200, body: JSON.stringify(document) });
  return {
    'GET /': ok({ agent: { agent_version: '3.6.1' } }),
    'GET /packages': ok({ Enabled: true, Stats: {} }),
    'GET /autotls': ok({ csr }),
    'POST /autotls': { status: 200, body: '' },
    'POST /config': { status: 200, body: '' },
  };
}
