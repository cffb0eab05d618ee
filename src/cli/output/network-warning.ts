import type { Address } from '../../kernel/address.ts';
import { isLoopback } from '../../kernel/address.ts';
import type { TextSink } from '../io.ts';

/** Says of what only a token opens that others on the way may read the token. */
export function warnOfNetwork({ host }: Address, url: string, stderr: TextSink): void {
  if (isLoopback(host)) return;
  stderr.write(
    `! ${url} is reachable from other machines, and the token crosses the network unencrypted: put a TLS proxy in front\n`,
  );
}
