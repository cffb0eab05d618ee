// Control characters of ASCII and Latin-1, bidirectional marks, zero-width characters, line separators, halves of surrogates: everything
// that a terminal interprets or a reader cannot see.
const UNPRINTABLE =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * Makes text from a file, a server or an agent safe for a terminal: one line, with escapes such as `\u001b` for control and invisible
 * characters. Split a text of several lines first.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => SHORT[character] ?? escapeOf(character));
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
