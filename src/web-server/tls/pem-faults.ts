import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../../kernel/errors.ts';
import { memoized } from '../../kernel/memoize.ts';
import type { TlsLevel } from '../../protocol/pull.ts';
import { LEVELS } from './levels.ts';

export type Pem = { readonly file: string; readonly text: string };

/** What an agent's web server is given for TLS; `ca`: the authority of its clients, which also goes into the chain. */
export type Given = {
  readonly certificate: Pem;
  readonly key: Pem;
  readonly ca: Pem | undefined;
  readonly level: TlsLevel;
};

export type PemFault = { readonly file: string; readonly text: string };

// The agents of a fleet have few authorities and as a rule few keys.
const KEPT = 64;
const authorityIn = memoized(KEPT, certificateIn);
const keyIn = memoized(KEPT, (text) => parsed(() => createPrivateKey(text)));

/** What TLS cannot take, and in which file; undefined if all is good. */
export function faultOf(given: Given): PemFault | undefined {
  const { certificate, key, ca } = given;
  const authority = ca && authorityIn(ca.text);
  if (ca !== undefined && authority?.fault !== undefined) return noCertificate(ca, authority.fault);
  const own = certificateIn(certificate.text);
  if (own.fault !== undefined) return noCertificate(certificate, own.fault);
  const privateKey = keyIn(key.text);
  if (privateKey.fault !== undefined)
    return { file: key.file, text: `it holds no private key in PEM: ${privateKey.fault}` };
  if (!own.value.checkPrivateKey(privateKey.value))
    return { file: certificate.file, text: `it does not belong to the key in ${key.file}` };
  const refusal = refusalOf(given, own.value);
  return refusal && { file: certificate.file, text: `TLS does not take it: ${refusal.words}` };
}

function noCertificate({ file }: Pem, fault: string): PemFault {
  return { file, text: `it holds no certificate in PEM: ${fault}` };
}

type Refusal = { readonly words: string } | undefined;

const refusals = new Map<string, Refusal>();

/**
 * OpenSSL has the last word: it refuses short keys, for one. Of a single certificate that fits its key it only weighs how
 * it was signed, so one trial, half a millisecond and 60 KB, is good for all agents with the same key and authority.
 */
function refusalOf(given: Given, certificate: X509Certificate): Refusal {
  const { signatureAlgorithmOid: algorithm } = certificate;
  const isSingle = given.certificate.text.split('-----BEGIN').length === 2;
  // Before Node 24.9 a certificate does not tell its algorithm.
  if (algorithm === undefined || !isSingle) return tried(given);
  const alike = JSON.stringify([algorithm, given.level, given.key.text, given.ca?.text]);
  if (refusals.has(alike)) return refusals.get(alike);
  const refusal = tried(given);
  if (refusals.size >= KEPT) refusals.clear();
  refusals.set(alike, refusal);
  return refusal;
}

function tried({ certificate, key, ca, level }: Given): Refusal {
  const cert = ca === undefined ? certificate.text : `${certificate.text}\n${ca.text}`;
  const authority = ca !== undefined && { ca: ca.text };
  const context = parsed(() => createSecureContext({ ...LEVELS[level], cert, key: key.text, ...authority }));
  return context.fault === undefined ? undefined : { words: context.fault };
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
