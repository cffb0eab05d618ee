import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';

/** One line that says why: the message in a JSON answer, the start of another one, or what failed below HTTP. */
export function reasonIn({ reason = '', body = '' }: { readonly reason?: string; readonly body?: string }): string {
  const { error, message = error } = membersIn(jsonIn(body));
  const said = body === '' || body.startsWith('<') ? reason : body;
  const text = typeof message === 'string' ? message : said;
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_REASON_CHARACTERS ? `${line.slice(0, MAX_REASON_CHARACTERS)} …` : line;
}

const MAX_REASON_CHARACTERS = 120;
