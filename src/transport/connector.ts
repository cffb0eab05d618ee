import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { addressOf } from '../kernel/address.ts';

/** How TLS servers are judged; `ca`, certificates in PEM, replaces the system's roots. */
export type TlsSettings = { readonly verify: boolean; readonly ca: string | undefined };

/** Opens a socket to the target. The callback gets the socket once it is ready for a request, or the error. */
export type Connector = (onReady: (error: Error | null, socket: Socket | null) => void) => Socket;

/**
 * A connector like the agent's Go client: no TLS session resumption, HTTP/1.1 alone in ALPN, TCP_NODELAY, no
 * time limit of its own (the engine's deadline covers dialling). All connections share one TLS context.
 */
export function createConnector(base: URL, tls: TlsSettings): Connector {
  const { host, port } = addressOf(base);
  const secure = base.protocol === 'https:' ? secureContext(tls) : undefined;
  return (onReady) => {
    const socket = secure
      ? connectTls({
          host,
          port,
          ...serverName(host),
          secureContext: secure,
          rejectUnauthorized: tls.verify,
          ALPNProtocols: ['http/1.1'],
        })
      : connectTcp({ host, port, noDelay: true });
    if (secure) socket.setNoDelay(true);
    let pending = true;
    const settle = (error: Error | null): void => {
      if (!pending) return;
      pending = false;
      onReady(error, error === null ? socket : null);
    };
    socket.once(secure ? 'secureConnect' : 'connect', () => settle(null));
    socket.once('error', settle);
    socket.once('close', () => settle(new Error('closed while connecting')));
    return socket;
  };
}

// An IP address must not be sent as a server name (RFC 6066, section 3).
function serverName(host: string): { servername: string } | Record<string, never> {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}

function secureContext({ ca }: TlsSettings): SecureContext {
  return createSecureContext({ minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) });
}
