// What TLS in Go offers by default, each list in Go's order, with OpenSSL's names.

export const TLS_1_3_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

export const GCM_SUITES = [
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
];

export const CBC_SUITES = [
  ...['ECDHE-ECDSA-AES128-SHA', 'ECDHE-RSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA', 'ECDHE-RSA-AES256-SHA'],
];

/** Without SHA-1. */
export const SIGNATURES = [
  ...['rsa_pss_rsae_sha256', 'ecdsa_secp256r1_sha256', 'ed25519', 'rsa_pss_rsae_sha384', 'rsa_pss_rsae_sha512'],
  ...['rsa_pkcs1_sha256', 'rsa_pkcs1_sha384', 'rsa_pkcs1_sha512', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512'],
];
