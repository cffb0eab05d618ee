import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Whether a request carries this token (RFC 9110, section 11.1: schemes ignore case). Compares in constant time. */
export function hasBearer({ authorization = '' }: IncomingHttpHeaders, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization.replace(/^bearer +/i, 'Bearer ')), digest(`Bearer ${token}`));
}
