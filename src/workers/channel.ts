import type { MessagePort } from 'node:worker_threads';

/**
 * A two-way connection to a shard or a server: messages arrive whole, once and in order. Between threads a
 * `MessagePort` carries them; between machines a socket would.
 */
export type Channel<Received, Sent> = {
  /** `handedOver`: memory that need not be copied; the sender cannot use it any more. */
  send(message: Sent, handedOver?: readonly ArrayBuffer[]): void;
  /** Messages that came before the first listener wait for it. */
  listen(hear: (message: Received) => void): void;
  /** Resolves when the connection has ended and every message that came over it was heard. */
  readonly closed: Promise<void>;
  close(): void;
};

export function channelOver<Received, Sent>(port: MessagePort): Channel<Received, Sent> {
  return {
    send: (message, handedOver = []) => port.postMessage(message, [...handedOver]),
    listen: (hear) => port.on('message', hear),
    closed: new Promise((resolve) => port.once('close', resolve)),
    close: () => port.close(),
  };
}
