import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../../kernel/errors.ts';
import type { AgentFileTexts } from '../../protocol/agent-files.ts';
import type { TlsLevel } from '../../protocol/tls-levels.ts';
import type { TlsSetup } from './agent-server.ts';
import { LEVELS } from './levels.ts';

/** What an agent's `config.ini` says of TLS. */
export type TlsSettings = {
  readonly autoTls: boolean;
  readonly tlsLevel: TlsLevel;
  readonly ownCertificate: { readonly certFile: string; readonly keyFile: string } | undefined;
};

/** How an agent's web server listens, or why its process ends: a sentence, and the file that is at fault. */
export type TlsMode =
  | { readonly kind: 'plain' }
  | { readonly kind: 'tls'; readonly setup: TlsSetup }
  | { readonly kind: 'death'; readonly reason: string; readonly file: string };

type Death = Extract<TlsMode, { kind: 'death' }>;

/**
 * What settings and files make of an agent's listener (docs/protocol.md, "TLS"): for Auto-TLS it only
 * counts that the three files exist; then they must be good. `read` gives the text of a file on the agent's host.
 */
export function tlsModeOf(
  { autoTls, tlsLevel: level, ownCertificate }: TlsSettings,
  files: AgentFileTexts,
  read: (file: string) => string | undefined,
): TlsMode {
  if (autoTls) {
    const missing = (['agent.crt', 'agent.key', 'server_ca.crt'] as const).find((file) => files[file] === undefined);
    if (missing === undefined) return autoTlsOf(files, level);
    return ownCertificate === undefined ? { kind: 'plain' } : death(missing, 'it does not exist');
  }
  if (ownCertificate === undefined) return { kind: 'plain' };
  const { certFile, keyFile } = ownCertificate;
  const certificate = read(certFile);
  const key = read(keyFile);
  if (certificate === undefined) return death(certFile, 'it does not exist');
  if (key === undefined) return death(keyFile, 'it does not exist');
  const fault = pairFault({ file: certFile, text: certificate }, { file: keyFile, text: key });
  return fault ?? tried({ certificateChain: certificate, key, clientCa: undefined, level }, certFile);
}

function autoTlsOf(files: AgentFileTexts, level: TlsLevel): TlsMode {
  const { 'agent.crt': certificate = '', 'agent.key': key = '', 'server_ca.crt': ca = '' } = files;
  const fault =
    certificateFault({ file: 'server_ca.crt', text: ca }) ??
    pairFault({ file: 'agent.crt', text: certificate }, { file: 'agent.key', text: key });
  return fault ?? tried({ certificateChain: `${certificate}\n${ca}`, key, clientCa: ca, level }, 'agent.crt');
}

type Pem = { readonly file: string; readonly text: string };

function certificateFault({ file, text }: Pem): Death | undefined {
  const certificate = parsed(() => new X509Certificate(text));
  return 'fault' in certificate ? death(file, `it holds no certificate in PEM: ${certificate.fault}`) : undefined;
}

function pairFault(certificate: Pem, key: Pem): Death | undefined {
  const fault = certificateFault(certificate);
  if (fault !== undefined) return fault;
  const privateKey = parsed<KeyObject>(() => createPrivateKey(key.text));
  if ('fault' in privateKey) return death(key.file, `it holds no private key in PEM: ${privateKey.fault}`);
  if (new X509Certificate(certificate.text).checkPrivateKey(privateKey.value)) return undefined;
  return death(certificate.file, `it does not belong to the key in ${key.file}`);
}

/** OpenSSL has the last word: it refuses short keys, for one. */
function tried(setup: TlsSetup, file: string): TlsMode {
  const { certificateChain: cert, key, clientCa: ca, level } = setup;
  const context = parsed(() => createSecureContext({ ...LEVELS[level], cert, key, ...(ca !== undefined && { ca }) }));
  return 'fault' in context ? death(file, `TLS does not take it: ${context.fault}`) : { kind: 'tls', setup };
}

function parsed<T>(parse: () => T): { readonly value: T } | { readonly fault: string } {
  try {
    return { value: parse() };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

function death(file: string, fault: string): Death {
  return { kind: 'death', file, reason: `The web server cannot use ${file}: ${fault}.` };
}
