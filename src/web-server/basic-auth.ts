import { timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from './base64.ts';

const SCHEME = /^basic /i;

/** Whether the value of an Authorization header carries exactly these credentials, `user:password`. */
export function isAuthorized(header: string | undefined, credentials: string): boolean {
  if (header === undefined || !SCHEME.test(header)) return false;
  const given = decodeBase64(header.slice('Basic '.length));
  const wanted = Buffer.from(credentials);
  return given !== undefined && given.length === wanted.length && timingSafeEqual(given, wanted);
}
