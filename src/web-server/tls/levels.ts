import type { SecureContextOptions } from 'node:tls';
import type { TlsLevel } from '../../protocol/pull.ts';

const SUITES_OF_TLS_1_3 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

const INTERMEDIATE_SUITES = [
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
];

/** What Go has enabled beyond the above when a program does not choose. */
const OLDER_SUITES = [
  ...['ECDHE-ECDSA-AES128-SHA', 'ECDHE-RSA-AES128-SHA'],
  ...['ECDHE-ECDSA-AES256-SHA', 'ECDHE-RSA-AES256-SHA'],
];

const CURVES = ['X25519', 'P-256', 'P-384'];

/** What clients may sign with, and what the agent prefers itself, in Go's order; without SHA-1, which OpenSSL does not offer. */
const SIGNATURES = [
  ...['rsa_pss_rsae_sha256', 'ecdsa_secp256r1_sha256', 'ed25519', 'rsa_pss_rsae_sha384', 'rsa_pss_rsae_sha512'],
  ...['rsa_pkcs1_sha256', 'rsa_pkcs1_sha384', 'rsa_pkcs1_sha512', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512'],
];

type LevelOptions = Required<Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'ecdhCurve' | 'sigalgs'>>;

/** Versions, suites, curves and signatures of each level; the newest version is TLS 1.3 in all. */
export const LEVELS: { readonly [level in TlsLevel]: LevelOptions } = {
  lax: {
    minVersion: 'TLSv1.2',
    ciphers: suites([...SUITES_OF_TLS_1_3, ...INTERMEDIATE_SUITES, ...OLDER_SUITES]),
    ecdhCurve: listed(['X25519MLKEM768', ...CURVES, 'P-521']),
    sigalgs: listed(SIGNATURES),
  },
  intermediate: {
    minVersion: 'TLSv1.2',
    ciphers: suites([...SUITES_OF_TLS_1_3, ...INTERMEDIATE_SUITES]),
    ecdhCurve: listed(CURVES),
    sigalgs: listed(SIGNATURES),
  },
  modern: {
    minVersion: 'TLSv1.3',
    // OpenSSL takes no level of security alone; with this least version the older suites mean nothing else.
    ciphers: suites([...SUITES_OF_TLS_1_3, ...INTERMEDIATE_SUITES]),
    ecdhCurve: listed(CURVES),
    sigalgs: listed(SIGNATURES),
  },
};

/** Go takes RSA keys of 1,024 bits, which OpenSSL's own level 2 refuses; level 1 still refuses SHA-1, as Go does. */
function suites(names: readonly string[]): string {
  return listed([...names, '@SECLEVEL=1']);
}

// OpenSSL's notation.
function listed(names: readonly string[]): string {
  return names.join(':');
}
