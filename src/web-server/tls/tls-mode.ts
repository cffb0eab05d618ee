import type { AgentFileTexts } from '../../protocol/agent-files.ts';
import type { TlsLevel } from '../../protocol/pull.ts';
import type { TlsSetup } from './agent-server.ts';
import { faultOf, type Given } from './pem-faults.ts';

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

/** The text of a file on the agent's host. */
type Read = (file: string) => string | undefined;

/**
 * What settings and files make of an agent's listener (docs/protocol.md, "TLS"): for Auto-TLS it only
 * counts that the three files exist; then they must be good.
 */
export function tlsModeOf(settings: TlsSettings, files: AgentFileTexts, read: Read): TlsMode {
  const given = givenTo(settings, files, read);
  const fault = given.kind === 'files' ? faultOf(given) : undefined;
  return fault === undefined ? modeOf(given) : death(fault.file, fault.text);
}

/** The same for files that `tlsModeOf` has found good: looking into them takes up to a millisecond for each agent. */
export function knownTlsMode(settings: TlsSettings, files: AgentFileTexts, read: Read): TlsMode {
  return modeOf(givenTo(settings, files, read));
}

type Found = Exclude<TlsMode, { kind: 'tls' }> | ({ readonly kind: 'files' } & Given);

function givenTo({ autoTls, tlsLevel: level, ownCertificate }: TlsSettings, files: AgentFileTexts, read: Read): Found {
  const pem = (file: string, text: string) => ({ file, text });
  if (autoTls) {
    const { 'agent.crt': certificate, 'agent.key': key, 'server_ca.crt': ca } = files;
    if (certificate !== undefined && key !== undefined && ca !== undefined)
      return {
        ...{ kind: 'files', level, certificate: pem('agent.crt', certificate), key: pem('agent.key', key) },
        ca: pem('server_ca.crt', ca),
      };
    const missing = (['agent.crt', 'agent.key', 'server_ca.crt'] as const).find((file) => files[file] === undefined);
    return ownCertificate === undefined ? { kind: 'plain' } : death(missing ?? '', 'it does not exist');
  }
  if (ownCertificate === undefined) return { kind: 'plain' };
  const { certFile, keyFile } = ownCertificate;
  const certificate = read(certFile);
  const key = read(keyFile);
  if (certificate === undefined) return death(certFile, 'it does not exist');
  if (key === undefined) return death(keyFile, 'it does not exist');
  return { kind: 'files', level, certificate: pem(certFile, certificate), key: pem(keyFile, key), ca: undefined };
}

function modeOf(found: Found): TlsMode {
  if (found.kind !== 'files') return found;
  const { certificate, key, ca, level } = found;
  const certificateChain = ca === undefined ? certificate.text : `${certificate.text}\n${ca.text}`;
  return { kind: 'tls', setup: { certificateChain, key: key.text, clientCa: ca?.text, level } };
}

function death(file: string, fault: string): Extract<TlsMode, { kind: 'death' }> {
  return { kind: 'death', file, reason: `The web server cannot use ${file}: ${fault}.` };
}
