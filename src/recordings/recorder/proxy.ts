import type { Socket } from 'node:net';
import type { Address } from '../../base/kernel/address.ts';
import { createListener } from '../../wire/http/listener.ts';
import { secureContextOf, secured, selfSigned, type TlsCredentials } from '../../wire/http/tls.ts';
import { type RelayTarget, relay } from '../../wire/transport/relay.ts';
import { type RecorderTask, startRecorder } from './recorder-thread.ts';

export type ProxyOrder = {
  readonly listen: Address;
  readonly target: RelayTarget;
  /** `undefined` if agents use plain HTTP. */
  readonly tls: { readonly kind: 'self_signed' } | ({ readonly kind: 'given' } & TlsCredentials) | undefined;
  readonly task: RecorderTask;
};

/** At the end: for connections, and for recording the rest of the data. */
const ENDING_MS = 3500;

/**
 * Listens for agents and joins each of their connections with one to their server. A thread records copies of what agents send. A
 * slow or failing recorder never affects the two sides.
 * @param log is called with each line for the operator
 * @throws UserError if the address is not available
 */
export async function startRecordingProxy(order: ProxyOrder, log: (line: string) => void) {
  const { tls, listen } = order;
  const credentials = tls?.kind === 'self_signed' ? await selfSigned([listen.host]) : tls;
  const secureContext = credentials && secureContextOf(credentials);
  const recorder = startRecorder(order.task, log);
  // Until then, its finish would take longer than it may.
  await recorder.ready;
  /** With the functions that close both sides. */
  const open = new Map<Socket, () => void>();
  let connections = 0;
  let unreachable = '';
  const accept = (socket: Socket): void => {
    const number = connections++;
    const client = secureContext === undefined ? socket : secured(socket, secureContext);
    const tap = recorder.tap(number);
    const end = relay(client, order.target, {
      sent: tap.sent,
      closed: () => {
        open.delete(client);
        tap.closed();
      },
      unreachable: (error) => {
        const message = refusalText(error);
        if (message !== unreachable) log(`The server is unreachable: ${message}`);
        unreachable = message;
      },
    });
    open.set(client, end);
  };
  const listener = createListener(listen, accept);
  const port = await listener.open().catch(async (error) => {
    await recorder.finish(ENDING_MS);
    throw error;
  });
  return {
    port,
    counts: () => ({ connections, ...recorder.counts() }),
    /** Closes the port, waits up to `graceMs` for connections to end, and closes them and the recording. */
    stop: async (graceMs: number) => {
      const startedMs = performance.now();
      listener.down();
      if (open.size > 0) await waited(graceMs, open);
      for (const end of open.values()) end();
      return recorder.finish(ENDING_MS - (performance.now() - startedMs));
    },
  };
}

/** OpenSSL's error codes for untrusted certificates. */
const UNTRUSTED = /CERT|SIGNATURE|ALTNAME/;

function refusalText({ message, code = '' }: NodeJS.ErrnoException): string {
  if (!UNTRUSTED.test(code)) return message;
  return `its certificate is not trusted (${code}); set its CA with --ca, or accept any certificate with --insecure`;
}

/** Resolves when all sockets are closed, or after `graceMs`. */
function waited(graceMs: number, open: ReadonlyMap<Socket, unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, graceMs);
    for (const socket of open.keys()) {
      socket.once('close', () => {
        if (open.size > 0) return;
        clearTimeout(timer);
        resolve();
      });
    }
  });
}
