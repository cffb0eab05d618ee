import { shown } from './ini.ts';
import type { AgentSettings } from './settings.ts';

/** Which files of an Auto-TLS exchange an agent has; what is in them does not matter here. */
export type AutoTlsFiles = {
  /** `agent.crt`. */
  readonly certificate: boolean;
  /** `agent.key`. */
  readonly key: boolean;
  /** `server_ca.crt`. */
  readonly ca: boolean;
};

export type ListenerMode =
  | { readonly kind: 'plain' }
  /** HTTPS that demands a client certificate of the exchanged CA. */
  | { readonly kind: 'mtls' }
  | { readonly kind: 'death'; readonly reason: string };

type TlsSettings = Pick<AgentSettings, 'autoTls' | 'ownCertificate'>;

/** How an agent listens, or why it cannot; see docs/protocol.md, "TLS". A simulated host has no certificate of its own. */
export function listenerMode({ autoTls, ownCertificate }: TlsSettings, files: AutoTlsFiles): ListenerMode {
  const missing = Object.entries({ 'agent.crt': files.certificate, 'agent.key': files.key, 'server_ca.crt': files.ca })
    .filter(([, present]) => !present)
    .map(([name]) => name);
  if (autoTls && missing.length === 0) return { kind: 'mtls' };
  if (ownCertificate === undefined) return { kind: 'plain' };
  return { kind: 'death', reason: autoTls ? reasonWithAutoTls(missing) : reasonWithOwn(ownCertificate.certFile) };
}

function reasonWithAutoTls(missing: readonly string[]): string {
  const expected = `expected ${missing.join(', ')} of an Auto-TLS exchange, found no such file`;
  return `config.ini: [default] try-autossl with certfile and keyfile: ${expected}; leave these two out.`;
}

function reasonWithOwn(certFile: string): string {
  const expected = 'expected a certificate on the simulated host, which has none';
  return `config.ini: [default] certfile = ${shown(certFile)}: ${expected}; use try-autossl.`;
}
