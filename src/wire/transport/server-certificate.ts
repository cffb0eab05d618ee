import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * Explains why the agent's client would reject a TLS server although OpenSSL has completed the handshake. Returns the
 * failed check and the certificate, or `undefined` if the client would accept the server. The checks are those of Go's
 * `crypto/tls` and `crypto/x509` (docs/developers/wire.md, "TLS of the push client").
 * @param host the name that Go compares with the certificate if it verifies certificates
 */
export function certificateProblem(socket: TLSSocket, host: string, verify: boolean): string | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const chain = verify && keyProblem(certificate) === undefined ? chainProblem(socket, certificate) : undefined;
  const check = keyProblem(certificate) ?? chain?.check ?? (verify ? nameProblem(certificate, host) : undefined);
  if (check === undefined) return undefined;
  const { refused = certificate } = chain ?? {};
  const context = refused === certificate ? '' : `, in the chain of ${oneLine(certificate.subject)}`;
  return `${check}; certificate ${certificateText(refused)}${context}`;
}

const MIN_RSA_BITS = 1024;
const MAX_RSA_BITS = 8192;

/** Go refuses to check signatures with RSA keys outside this range, even if it does not verify the certificate. */
function keyProblem({ publicKey }: X509Certificate): string | undefined {
  const { modulusLength: bits } = publicKey.asymmetricKeyDetails ?? {};
  if (bits === undefined || (bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS)) return undefined;
  return `RSA_KEY_SIZE: the RSA key has ${bits} bits, ${MIN_RSA_BITS} to ${MAX_RSA_BITS} are expected`;
}

/** Explanations of OpenSSL checks with unclear names. */
const CHECKS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed and not a CA in target.tls.ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'the CA at the end of its chain is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'no trusted CA signed it',
  UNABLE_TO_GET_ISSUER_CERT: 'an issuer in its chain is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown',
  CERT_HAS_EXPIRED: 'a certificate of its chain has expired',
  CERT_NOT_YET_VALID: 'a certificate of its chain is not valid yet',
  INVALID_PURPOSE: 'its key usage or extended key usage does not permit servers',
  INVALID_CA: 'the certificate that signed it is not a CA',
};

/** The failed check, and the certificate in the chain that fails it, if known. */
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

/** A certificate and its issuers as sent, without the self-signed one at the end. */
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
  return `NAME_MISMATCH: its subjectAltName must have ${host}, but has ${found}`;
}

/** The DNS names of a subjectAltName in Node's format, which writes names with unusual characters as JSON strings. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:^|, )DNS:("(?:[^"\\]|\\.)*"|[^,]*)/g)].map(([, name = '']) =>
    name.startsWith('"') ? String(JSON.parse(name)) : name,
  );
}

/** Returns whether a certificate's DNS name matches a host, by the rules of Go's `x509.Certificate.VerifyHostname`. */
export function fitsName(name: string, host: string): boolean {
  const pattern = name.toLowerCase();
  const hostName = host.toLowerCase();
  const isExact = !isPattern(pattern) || !isHostName(hostName.replace(/\.$/, ''));
  // Invalid names must match exactly.
  if (isExact) return pattern === hostName && !/^\.?$/.test(hostName);
  const expected = pattern.split('.');
  const labels = hostName.replace(/\.$/, '').split('.');
  return (
    expected.length === labels.length &&
    expected.every((label, at) => (at === 0 && label === '*') || label === labels[at])
  );
}

const LABEL = /^[a-z0-9_][a-z0-9_-]*$/;

function isHostName(text: string): boolean {
  return text.split('.').every((label) => LABEL.test(label));
}

/** A wildcard replaces the whole first label, and is never the only label. */
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
