import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Which part of a host's certificate Go's TLS holds against what. */
type Judged = { readonly host: string; readonly verify: boolean };

/**
 * Why the agent's client would leave the server behind a TLS connection, although OpenSSL has finished the handshake: which
 * check refuses it, and which certificate it is. Undefined: it would stay. The checks are those of Go's `crypto/tls` and
 * `crypto/x509` (docs/reference/wire.md, "TLS of the push client").
 */
export function certificateProblem(socket: TLSSocket, { host, verify }: Judged): string | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const chain = verify && keyProblem(certificate) === undefined ? chainProblem(socket, certificate) : undefined;
  const check = keyProblem(certificate) ?? chain?.check ?? (verify ? nameProblem(certificate, host) : undefined);
  if (check === undefined) return undefined;
  const { refused = certificate } = chain ?? {};
  const place = refused === certificate ? '' : `, in the chain of ${oneLine(certificate.subject)}`;
  return `${check}; certificate ${certificateText(refused)}${place}`;
}

const LEAST_RSA_BITS = 1024;
const MOST_RSA_BITS = 8192;

/** Go refuses to check a signature with such a key, whether it verifies the certificate or not. */
function keyProblem({ publicKey }: X509Certificate): string | undefined {
  const { modulusLength: bits } = publicKey.asymmetricKeyDetails ?? {};
  if (bits === undefined || (bits >= LEAST_RSA_BITS && bits <= MOST_RSA_BITS)) return undefined;
  return `RSA_KEY_SIZE: the RSA key has ${bits} bits, ${LEAST_RSA_BITS} to ${MOST_RSA_BITS} are expected`;
}

/** The checks of OpenSSL whose names do not say what they check. */
const CHECKS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed and not a CA in target.tls.ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'the CA at the end of its chain is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'no trusted CA signed it',
  UNABLE_TO_GET_ISSUER_CERT: 'an issuer in its chain is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown',
  CERT_HAS_EXPIRED: 'a certificate of its chain has expired',
  CERT_NOT_YET_VALID: 'a certificate of its chain is not valid yet',
  INVALID_PURPOSE: 'its extended key usage does not permit servers',
  INVALID_CA: 'the certificate that signed it is not a CA',
};

/** The check, and the certificate of the chain that it refuses, as far as that is known. */
type ChainProblem = { readonly check: string; readonly refused: X509Certificate | undefined };

function chainProblem(socket: TLSSocket, certificate: X509Certificate): ChainProblem | undefined {
  const chain = chainOf(certificate);
  if (!socket.authorized) {
    const code = String(socket.authorizationError);
    const refused = chain.find((one) => isOutOfTime(one, code));
    return { check: `${code}: ${CHECKS[code] ?? 'OpenSSL refuses its chain'}`, refused };
  }
  for (const refused of chain) {
    const { signatureAlgorithm = '' } = refused;
    if (/sha1|md5/i.test(signatureAlgorithm))
      return { check: `WEAK_SIGNATURE: the digest of a signature, ${signatureAlgorithm}, is too weak`, refused };
    const check = keyProblem(refused);
    if (check !== undefined) return { check, refused };
  }
  return undefined;
}

function isOutOfTime({ validFrom, validTo }: X509Certificate, code: string): boolean {
  if (code === 'CERT_HAS_EXPIRED') return Date.parse(validTo) < Date.now();
  return code === 'CERT_NOT_YET_VALID' && Date.parse(validFrom) > Date.now();
}

/** A certificate and those that issued it, as they were sent; not the one at the end that vouches for itself. */
function chainOf(certificate: X509Certificate): readonly X509Certificate[] {
  const { issuerCertificate } = certificate;
  if (issuerCertificate === undefined) return [certificate];
  return issuerCertificate.fingerprint256 === certificate.fingerprint256
    ? []
    : [certificate, ...chainOf(issuerCertificate)];
}

function nameProblem(certificate: X509Certificate, host: string): string | undefined {
  const names = namesIn(certificate.subjectAltName ?? '');
  const fits = isIP(host) > 0 ? certificate.checkIP(host) !== undefined : names.some((name) => fitsName(name, host));
  if (fits) return undefined;
  const found = certificate.subjectAltName ?? 'only a common name in its subject, which agents ignore';
  return `NAME_MISMATCH: its subjectAltName must have ${host} , and has ${found}`;
}

/** The DNS names of a subjectAltName as Node writes it; those with unusual characters are JSON strings there. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:^|, )DNS:("(?:[^"\\]|\\.)*"|[^,]*)/g)].map(([, name = '']) =>
    name.startsWith('"') ? String(JSON.parse(name)) : name,
  );
}

/** Whether a DNS name of a certificate is that of a host, by the rules of Go's `x509.Certificate.VerifyHostname`. */
export function fitsName(name: string, host: string): boolean {
  const pattern = name.toLowerCase();
  const asked = host.toLowerCase();
  // What is no valid name has to be the same letter by letter.
  if (!isPattern(pattern) || !isHostName(asked.replace(/\.$/, ''))) return pattern === asked && !/^\.?$/.test(asked);
  const wanted = pattern.split('.');
  const labels = asked.replace(/\.$/, '').split('.');
  return (
    wanted.length === labels.length && wanted.every((label, at) => (at === 0 && label === '*') || label === labels[at])
  );
}

const LABEL = /^[a-z0-9_][a-z0-9_-]*$/;

function isHostName(text: string): boolean {
  return text.split('.').every((label) => LABEL.test(label));
}

/** A star stands for the whole first label, and never alone. */
function isPattern(text: string): boolean {
  return isHostName(text.replace(/^\*\./, ''));
}

function certificateText({ subject, issuer, validFrom, validTo, fingerprint256 }: X509Certificate): string {
  const names = `${oneLine(subject)}, issued by ${oneLine(issuer)}`;
  return `${names}, valid ${validFrom} to ${validTo}, SHA-256 ${fingerprint256}`;
}

function oneLine(name: string): string {
  return name.replaceAll('\n', ', ');
}
