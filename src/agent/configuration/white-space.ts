// What the agent's language takes for white space. JavaScript's own trim() differs in two characters.
const WHITE_SPACE = new Set(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

export function trimmed(text: string): string {
  return trimmedStart(text.slice(0, contentEnd(text)));
}

export function trimmedStart(text: string): string {
  let start = 0;
  while (WHITE_SPACE.has(text.charAt(start))) start++;
  return text.slice(start);
}

function contentEnd(text: string): number {
  let end = text.length;
  while (WHITE_SPACE.has(text.charAt(end - 1))) end--;
  return end;
}
