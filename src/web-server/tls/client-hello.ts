/** Record head, message head, version and random: what stands before the parts of varying length. */
const FIXED_BYTES = 5 + 4 + 2 + 32;
const SUPPORTED_VERSIONS = 0x002b;
const TLS_1_3 = Buffer.from([3, 4]);

/**
 * Whether a client's first message offers TLS 1.3 (RFC 8446, section 4.2.1), so that it will be agreed on. False, too, if
 * the bytes at hand do not go as far as that.
 */
export function offersTls13(hello: Buffer): boolean {
  const byteAt = (at: number) => hello[at] ?? 0;
  const wordAt = (at: number) => byteAt(at) * 256 + byteAt(at + 1);
  let at = FIXED_BYTES;
  at += 1 + byteAt(at); // session
  at += 2 + wordAt(at); // suites
  at += 1 + byteAt(at); // compression
  at += 2; // length of all extensions
  while (at < hello.length) {
    const end = at + 4 + wordAt(at + 2);
    if (wordAt(at) === SUPPORTED_VERSIONS) return hello.subarray(at + 4, end).includes(TLS_1_3);
    at = end;
  }
  return false;
}
