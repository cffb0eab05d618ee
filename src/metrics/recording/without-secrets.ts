import { printable } from '../../ground/kernel/printable.ts';
import type { Seen } from '../../ground/protocol/exchange.ts';

const MOST_HEAD_CHARACTERS = 2048;
const MOST_BODY_CHARACTERS = 2048;
const MOST_REASON_CHARACTERS = 600;
// Secrets are removed before a text is cut, so that no part of one remains.
const MOST_READ_CHARACTERS = 16 << 10;

/** Makes a message fit to show: without secrets, printable, and of bounded length. Omits empty parts. */
export function shownOf({ reason, head, body }: Seen, secrets: readonly string[]): Partial<Seen> {
  return {
    ...(reason !== '' && { reason: shown(reason, secrets, MOST_REASON_CHARACTERS) }),
    ...(head !== '' && { head: shown(head.replace(SECRET_FIELDS, '$1: ***'), secrets, MOST_HEAD_CHARACTERS) }),
    ...(body !== '' && { body: shown(body, secrets, MOST_BODY_CHARACTERS) }),
  };
}

// The scheme alone shows that no key was sent.
const SECRET_FIELDS =
  /^((?:proxy-)?authorization|set-cookie2?|cookie)[ \t]*:(?![ \t]*X-OITC-API[ \t\r]*$).*(?:\r?\n[ \t].*)*/gim;
/** The password of an agent, and the key of a request, wherever a server repeats them. */
const SECRET_MEMBER = /("password\\?"\s*:\s*\\?")(?:[^"\\]|\\[^"])*/gi;
/** Configurations contain passwords and keys. */
const SECRET_DOCUMENT =
  /("(?:configuration|customcheck_configuration|prometheus_exporter)\\?"\s*:\s*\\?")[\w+/=\\]{40,}/g;
const SECRET_KEY = /(X-OITC-API[ \t]+)[^\s"'<]+/gi;

function shown(text: string, secrets: readonly string[], mostCharacters: number): string {
  const plain = withoutSecrets(text.slice(0, MOST_READ_CHARACTERS), secrets);
  const lines = plain.slice(0, mostCharacters).split(/\r?\n/).map(printable).join('\n').trimEnd();
  const isCut = plain.length > mostCharacters || text.length > MOST_READ_CHARACTERS;
  return isCut ? `${lines} …` : lines;
}

/** Replaces each secret with `***`, including its forms in JSON and in a URL. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .sort((a, b) => b.length - a.length);
  const plain = text.replace(SECRET_MEMBER, '$1***').replace(SECRET_DOCUMENT, '$1***').replace(SECRET_KEY, '$1***');
  return forms.reduce((rest, form) => rest.replaceAll(form, '***'), plain);
}
