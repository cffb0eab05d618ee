import type { Address } from '../../ground/kernel/address.ts';
import { isLoopback } from '../../ground/kernel/address.ts';
import type { TextSink } from '../io.ts';

/** Warns if a token-protected address is reachable over the network without encryption. */
export function warnOfNetwork({ host }: Address, url: string, stderr: TextSink): void {
  if (isLoopback(host)) return;
  stderr.write(
    `! ${url} is reachable from other machines, and the token is sent unencrypted: put a TLS proxy in front of it\n`,
  );
}
