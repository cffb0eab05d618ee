import { withAllTexts } from './document-texts.ts';

/*
 * Removes secrets that no recording keeps: passwords, API keys, private keys. They are removed from all texts of a document before
 * anything is written.
 */

const REMOVED = '[removed]';

/** Options and variables with such a name have secret values. */
const SECRET_NAME =
  '(?:pass(?:w(?:or)?d|phrase)?|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)';
const VALUE = String.raw`("[^"]*"|'[^']*'|[^\s"',;&]+)`;

type Rule = { readonly pattern: RegExp; readonly put: string };

const RULES: readonly Rule[] = [
  {
    pattern: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|$)/g,
    put: REMOVED,
  },
  // user:password@host
  { pattern: /([a-z][a-z0-9+.-]*:\/\/[^\s:@/]*:)[^\s@/]+(?=@)/gi, put: `$1${REMOVED}` },
  { pattern: /\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:[A-Za-z-]+\s+)?)[^\s"',;]+/gi, put: `$1${REMOVED}` },
  {
    pattern: /\b(X-OITC-API|Bearer|Basic)(\s+)(?=[A-Za-z0-9+/_.=-]*[0-9=])[A-Za-z0-9+/_.=-]{8,}/g,
    put: `$1$2${REMOVED}`,
  },
  {
    pattern: new RegExp(`((?:^|[\\s"'{,;&?])-{0,2}[\\w.-]*${SECRET_NAME}["']?\\s*[=:]\\s*)${VALUE}`, 'gi'),
    put: `$1${REMOVED}`,
  },
  { pattern: new RegExp(`((?:^|\\s)--?[\\w-]*${SECRET_NAME}\\s+)(?!-)${VALUE}`, 'gi'), put: `$1${REMOVED}` },
  // Programs whose short options take a password.
  { pattern: /(\b(?:mysql|mariadb)\w*\b[^|;]*?\s-p)[^\s]+/g, put: `$1${REMOVED}` },
  { pattern: /(\b(?:sshpass|ldapsearch|smbclient|mongo(?:sh)?)\b[^|;]*?\s-[pw]\s*)(?!-)[^\s]+/g, put: `$1${REMOVED}` },
  { pattern: /(\bredis-cli\b[^|;]*?\s-a\s+)[^\s]+/g, put: `$1${REMOVED}` },
  { pattern: /(\b(?:curl|wget)\b[^|;]*?\s(?:-u|--user)[\s=]+[^\s:]+:)[^\s]+/g, put: `$1${REMOVED}` },
  // Secrets that are recognizable by their form.
  { pattern: /\bAKIA[0-9A-Z]{16}\b/g, put: REMOVED },
  { pattern: /\b(?:gh[pousr]_|glpat-|xox[abprs]-|sk-)[A-Za-z0-9_-]{16,}/g, put: REMOVED },
  { pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+/g, put: REMOVED },
];

/** Removes secrets from a text. `known` are secrets from elsewhere. */
export function withoutSecrets(text: string, known: readonly string[]): string {
  const plain = known.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
  return RULES.reduce((rest, { pattern, put }) => rest.replace(pattern, put), plain);
}

/** A document without secrets, and the number of its texts that contained some. */
export function documentWithoutSecrets(
  text: string,
  known: readonly string[],
): { readonly text: string; readonly removed: number } {
  let removed = 0;
  const clean = withAllTexts(text, (value) => {
    const plain = withoutSecrets(value, known);
    if (plain !== value) removed++;
    return plain;
  });
  return { text: removed === 0 ? text : clean, removed };
}
