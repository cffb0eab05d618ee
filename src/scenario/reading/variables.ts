import { isScalar, Scalar } from 'yaml';
import { quoted } from '../../base/notation/finding.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** A text with its variables expanded, and a problem for each variable that could not be. */
export type Expansion = {
  readonly text: string;
  readonly problems: readonly { readonly expected: string; readonly found: string }[];
};

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
/** What is found instead of a variable; shows no secret. */
export const UNSET = 'it unset';
const NAME_AND_DEFAULT = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/** Expands `${NAME}` and `${NAME:-default}`. As in a shell, the default also replaces an empty variable. `$${` is a literal `${`. */
export function expandVariables(text: string, environment: Variables): Expansion {
  const problems: { expected: string; found: string }[] = [];
  const expanded = text.replace(REFERENCE, (reference, inner: string | undefined, closing: string | undefined) => {
    if (inner === undefined) return '${';
    const match = closing === '' ? null : NAME_AND_DEFAULT.exec(inner);
    const name = match?.[1];
    if (name === undefined) {
      // The text after an unclosed brace may contain a secret.
      const found = closing === '' ? '${ without its }' : quoted(reference);
      problems.push({ expected: '${NAME} or ${NAME:-default}', found });
      return reference;
    }
    const [set, fallback] = [environment[name], match?.[2]];
    const value = fallback === undefined ? set : set || fallback;
    const expected = `the environment variable ${name} to be set, or a default as in \${${name}:-value}`;
    if (value === undefined) problems.push({ expected, found: UNSET });
    return value ?? reference;
  });
  return { text: expanded, problems };
}

/** Escapes text so that `expandVariables` returns it unchanged. */
export function escapeVariables(text: string): string {
  return text.replaceAll('${', () => '$${');
}

type Secrets = Readonly<Record<string, string>>;

/** A text of a scenario file that refers to environment variables in the place of secrets, with their values. */
export class SecretText extends Scalar<string> {
  readonly secrets: Secrets;

  constructor(text: string, secrets: Secrets) {
    super(text);
    this.secrets = secrets;
  }
}

/** A secret as a whole text. The quotes keep its value a string. */
export function secretText(variable: string, secret: string): SecretText {
  const text = new SecretText(`\${${variable}}`, { [variable]: secret });
  text.type = Scalar.QUOTE_DOUBLE;
  return text;
}

/** The environment variables that a value refers to. */
export function secretsIn(value: unknown): Secrets {
  if (value instanceof SecretText) return value.secrets;
  const parts = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return Object.assign({}, ...parts.map(secretsIn));
}

/** The value with literal `${` in all its text escaped, except in scalars, which refer to variables. */
export function escaped(value: unknown): unknown {
  if (typeof value === 'string') return escapeVariables(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, escaped(part)]));
}
