// Controls of ASCII and Latin-1, marks that turn the direction of text, those without a width, separators of lines,
// halves of surrogates: whatever a terminal obeys, or a reader cannot see.
const UNPRINTABLE =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * A text from elsewhere, such as a file, a server or an agent, as a terminal may show it: on one line, with escapes such
 * as `\u001b` in place of what a terminal would obey and what nobody could see. A text of several lines is split first.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => SHORT[character] ?? escapeOf(character));
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
