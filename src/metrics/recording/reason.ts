import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';

/** One line that says why: the message in a JSON answer, the start of another one, or what failed below HTTP. */
export function reasonIn({ reason = '', body = '' }: { readonly reason?: string; readonly body?: string }): string {
  const text = errorIn(body) ?? (body === '' || body.startsWith('<') ? reason : body);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_REASON_CHARACTERS ? `${line.slice(0, MAX_REASON_CHARACTERS)} …` : line;
}

const MAX_REASON_CHARACTERS = 120;

function errorIn(body: string): string | undefined {
  const { error, message = error } = membersIn(jsonIn(body));
  return typeof message === 'string' ? message : undefined;
}
