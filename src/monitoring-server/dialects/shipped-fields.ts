import { EMPTY_ENVELOPE, type Envelope } from '../json/envelope.ts';
import type { PushRequest } from './dialect.ts';

export function isJsonType(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return type === 'application/json' || type === 'text/json';
}

/**
 * The fields a request brings: JSON counts only under a JSON content type, and a form's fields count too
 * (docs/protocol.md, "Before the controller runs"). Malformed JSON has been refused before.
 */
export function requestFields({ headers, body, envelope }: PushRequest): Envelope {
  if (isJsonType(headers['content-type'])) return envelope ?? EMPTY_ENVELOPE;
  if (mediaType(headers['content-type']) !== 'application/x-www-form-urlencoded') return EMPTY_ENVELOPE;
  const form = new URLSearchParams(body.toString());
  const field = (name: string) => form.get(name) ?? undefined;
  return {
    agentuuid: field('agentuuid'),
    password: field('password'),
    hostname: field('hostname'),
    ipaddress: field('ipaddress'),
    checkdata: undefined,
  };
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').replace(/;.*/s, '').trim().toLowerCase();
}
