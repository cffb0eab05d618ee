import type { SecureContextOptions } from 'node:tls';
import type { TlsLevel } from '../../../ground/protocol/pull.ts';

const SUITES_OF_TLS_1_3 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

const INTERMEDIATE_SUITES = [
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
];

/** Additional suites that Go enables by default. */
const OLDER_SUITES = [
  ...['ECDHE-ECDSA-AES128-SHA', 'ECDHE-RSA-AES128-SHA'],
  ...['ECDHE-ECDSA-AES256-SHA', 'ECDHE-RSA-AES256-SHA'],
];

const CURVES = ['X25519', 'P-256', 'P-384'];

/** Signature algorithms for clients and for the agent itself, in Go's order; without SHA-1, which OpenSSL does not offer. */
const SIGNATURES = [
  ...['rsa_pss_rsae_sha256', 'ecdsa_secp256r1_sha256', 'ed25519', 'rsa_pss_rsae_sha384', 'rsa_pss_rsae_sha512'],
  ...['rsa_pkcs1_sha256', 'rsa_pkcs1_sha384', 'rsa_pkcs1_sha512', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512'],
];

type LevelOptions = Required<Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'ecdhCurve' | 'sigalgs'>>;

/** Versions, suites, curves and signatures of each level; the newest version is always TLS 1.3. */
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
    // OpenSSL does not accept a security level alone; with this minimum version, the older suites have no effect.
    ciphers: suites([...SUITES_OF_TLS_1_3, ...INTERMEDIATE_SUITES]),
    ecdhCurve: listed(CURVES),
    sigalgs: listed(SIGNATURES),
  },
};

/** Go accepts RSA keys of 1,024 bits, which OpenSSL's own level 2 rejects; level 1 rejects SHA-1, as Go does. */
function suites(names: readonly string[]): string {
  return listed([...names, '@SECLEVEL=1']);
}

function listed(names: readonly string[]): string {
  return names.join(':');
}
