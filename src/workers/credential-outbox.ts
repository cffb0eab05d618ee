import type { ShardCredential } from './messages.ts';

/** Collects the passwords of one turn of the event loop and sends them together: one message, one commit. */
export type CredentialOutbox = { add(credential: ShardCredential): void };

export function createCredentialOutbox(send: (credentials: readonly ShardCredential[]) => void): CredentialOutbox {
  let batch: ShardCredential[] = [];
  const flush = (): void => {
    const full = batch;
    batch = [];
    send(full);
  };
  return {
    add: (credential) => {
      if (batch.length === 0) setImmediate(flush);
      batch.push(credential);
    },
  };
}
