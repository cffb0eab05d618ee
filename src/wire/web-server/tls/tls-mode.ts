import { createPrivateKey, X509Certificate } from 'node:crypto';
import { messageOf, UserError } from '../../../base/kernel/errors.ts';
import { memoized } from '../../../base/kernel/memoize.ts';
import type { AgentFileTexts } from '../../../base/protocol/agent-files.ts';
import { decodeBase64 } from '../../../base/protocol/go.ts';
import type { TlsLevel } from '../../../base/protocol/pull.ts';
import { nodeTls } from '../../../base/runtime/builtins.ts';
import { LEVELS, type TlsSetup } from './tls-acceptor.ts';

export type TlsFileSettings = {
  readonly autoTls: boolean;
  readonly tlsLevel: TlsLevel;
  readonly ownCertificate: { readonly certFile: string; readonly keyFile: string } | undefined;
};

/** How an agent's web server listens, or why its process ends: a sentence, and the file at fault. */
export type TlsMode =
  | { readonly kind: 'plain' }
  | { readonly kind: 'tls'; readonly setup: TlsSetup }
  | { readonly kind: 'death'; readonly reason: string; readonly file: string };

/** Returns the contents of a file on the agent's host. */
type Read = (file: string) => string | undefined;

/** The listener by settings and files (docs/reference/agent-web-server.md, "TLS levels"). With all three files, Auto-TLS is on. */
export function tlsModeOf(settings: TlsFileSettings, files: AgentFileTexts, read: Read): TlsMode {
  const mode = uncheckedModeOf(settings, files, read);
  const fault = mode.kind === 'files' ? pemFault(mode) : undefined;
  return fault === undefined ? modeOf(mode) : death(fault.file, fault.text);
}

/** Like `tlsModeOf`, for files that it has already validated; validation takes up to a millisecond per agent. */
export function knownTlsMode(settings: TlsFileSettings, files: AgentFileTexts, read: Read): TlsMode {
  return modeOf(uncheckedModeOf(settings, files, read));
}

type UncheckedMode = Exclude<TlsMode, { kind: 'tls' }> | ({ readonly kind: 'files' } & TlsFiles);

function uncheckedModeOf(
  { autoTls, tlsLevel: level, ownCertificate }: TlsFileSettings,
  files: AgentFileTexts,
  read: Read,
): UncheckedMode {
  const pem = (file: string, text: string) => ({ file, text });
  if (autoTls) {
    const { 'agent.crt': certificate, 'agent.key': key, 'server_ca.crt': ca } = files;
    if (certificate !== undefined && key !== undefined && ca !== undefined)
      return {
        kind: 'files',
        level,
        key: pem('agent.key', key),
        certificate: pem('agent.crt', readCertificates(certificate)),
        ca: pem('server_ca.crt', readCertificates(ca, 'authorities')),
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
  const chain = pem(certFile, readCertificates(certificate));
  return { kind: 'files', level, certificate: chain, key: pem(keyFile, key), ca: undefined };
}

const PLAIN_PEM = /^(?:-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+\n-----END CERTIFICATE-----\n)+$/;
/** A block begins and ends a line, and may have header lines. */
const PEM_BLOCK =
  /(?<![^\n])-----BEGIN CERTIFICATE-----[ \t]*\r?\n((?:[^\n:]*:[^\n]*\n)*)([A-Za-z0-9+/= \t\r\n]*)(?<=\n)-----END CERTIFICATE-----[ \t]*\r?(?![^\n])/g;

/**
 * The certificates that the agent finds in a PEM file, in the form that OpenSSL reads: their readers differ in labels, headers, broken blocks
 * and what precedes a block. A block with headers is no authority.
 */
function readCertificates(text: string, kind: 'chain' | 'authorities' = 'chain'): string {
  // Fast path, without another copy for each agent.
  if (PLAIN_PEM.test(text)) return text;
  let pem = '';
  for (const [, headers, base64 = ''] of text.matchAll(PEM_BLOCK)) {
    const der = decodeBase64(base64.replaceAll(/[ \t]/g, ''));
    if (der === undefined || (headers !== '' && kind === 'authorities')) continue;
    pem += `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
  }
  return pem;
}

function modeOf(mode: UncheckedMode): TlsMode {
  return mode.kind === 'files' ? { kind: 'tls', setup: setupOf(mode) } : mode;
}

function setupOf({ certificate, key, ca, level }: TlsFiles): TlsSetup {
  const certificateChain = ca === undefined ? certificate.text : `${certificate.text}\n${ca.text}`;
  return { certificateChain, key: key.text, clientCa: ca?.text, level };
}

function death(file: string, fault: string): Extract<TlsMode, { kind: 'death' }> {
  return { kind: 'death', file, reason: `The web server cannot use ${file}: ${fault}.` };
}

export type StoredAgent = {
  readonly hostName: string;
  readonly settings: TlsFileSettings;
  readonly files: AgentFileTexts;
};

/**
 * Checks the files of an earlier run, so that no agent is down from the first second because of a damaged file.
 * @throws UserError with the first agent at fault; `where` returns the location of its file.
 */
export function assertStoredTls(
  agents: Iterable<StoredAgent>,
  read: (file: string) => string | undefined,
  where: (hostName: string, file: string) => string,
): void {
  for (const { hostName, settings, files } of agents) {
    const mode = tlsModeOf(settings, files, read);
    if (mode.kind !== 'death') continue;
    throw new UserError(
      `Agent ${hostName} cannot start with the stored file ${where(hostName, mode.file)}: ${mode.reason} Restore the file, or delete agent.crt and server_ca.crt there (agent.key too if it is the key) so that certificates are exchanged again.`,
    );
  }
}

/** A file with its content, or with what is wrong with it. */
type FileText = { readonly file: string; readonly text: string };

/** An agent's TLS files; `ca` is the authority of its clients, which is also part of the chain. */
type TlsFiles = {
  readonly certificate: FileText;
  readonly key: FileText;
  readonly ca: FileText | undefined;
  readonly level: TlsLevel;
};

// The agents of a fleet share few authorities and usually few keys.
const KEPT = 64;
const authorityIn = memoized(KEPT, certificateIn);
const keyIn = memoized(KEPT, (text) => parsed(() => createPrivateKey(text)));

/** The problem of a TLS file, and the file; `undefined` if all are valid. */
function pemFault(files: TlsFiles): FileText | undefined {
  const { certificate, key, ca } = files;
  const authority = ca && authorityIn(ca.text);
  if (ca !== undefined && authority?.fault !== undefined) return noCertificate(ca, authority.fault);
  const own = certificateIn(certificate.text);
  if (own.fault !== undefined) return noCertificate(certificate, own.fault);
  const privateKey = keyIn(key.text);
  if (privateKey.fault !== undefined)
    return { file: key.file, text: `it contains no private key in PEM: ${privateKey.fault}` };
  if (!own.value.checkPrivateKey(privateKey.value))
    return { file: certificate.file, text: `it does not belong to the key in ${key.file}` };
  const refusal = refusalOf(files, own.value);
  return refusal === undefined ? undefined : { file: certificate.file, text: `TLS rejects it: ${refusal}` };
}

function noCertificate({ file }: FileText, fault: string): FileText {
  return { file, text: `it contains no certificate in PEM: ${fault}` };
}

const refusals = new Map<string, string | undefined>();

/**
 * Checks the files with OpenSSL, which rejects short keys, for example. For a single certificate that matches its key, only the signature
 * algorithm matters. One check, half a millisecond and 60 KB, is therefore valid for all agents with the same key and authority.
 */
function refusalOf(files: TlsFiles, certificate: X509Certificate): string | undefined {
  const { signatureAlgorithmOid: algorithm } = certificate;
  const isSingle = files.certificate.text.split('-----BEGIN').length === 2;
  // Before Node 24.9, a certificate has no algorithm property.
  if (algorithm === undefined || !isSingle) return openSslFault(files);
  const cacheKey = JSON.stringify([algorithm, files.level, files.key.text, files.ca?.text]);
  if (refusals.has(cacheKey)) return refusals.get(cacheKey);
  const refusal = openSslFault(files);
  if (refusals.size >= KEPT) refusals.clear();
  refusals.set(cacheKey, refusal);
  return refusal;
}

function openSslFault(files: TlsFiles): string | undefined {
  const { certificateChain: cert, key, clientCa: ca, level } = setupOf(files);
  return parsed(() => nodeTls.createSecureContext({ ...LEVELS[level], cert, key, ...(ca !== undefined && { ca }) }))
    .fault;
}

type Parsed<T> = { readonly value: T; readonly fault?: undefined } | { readonly fault: string };

function certificateIn(text: string): Parsed<X509Certificate> {
  return parsed(() => new X509Certificate(text));
}

function parsed<T>(parse: () => T): Parsed<T> {
  try {
    return { value: parse() };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}
