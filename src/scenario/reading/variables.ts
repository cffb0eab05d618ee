import { Scalar } from 'yaml';
import { quoted } from '../../notation/finding.ts';

/** Variables by name, as a process has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The text with its variables put in, and what was wrong with those that could not be. */
export type Expansion = {
  readonly text: string;
  readonly problems: readonly { readonly expected: string; readonly found: string }[];
};

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME_AND_DEFAULT = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/**
 * Puts in `${NAME}` and `${NAME:-default}`. As in a shell, the default also stands in for an empty variable.
 * `$${` is a plain `${`.
 */
export function expandVariables(text: string, environment: Variables): Expansion {
  const problems: { expected: string; found: string }[] = [];
  const expanded = text.replace(REFERENCE, (reference, inner: string | undefined, closing: string | undefined) => {
    if (inner === undefined) return '${';
    const match = closing === '' ? null : NAME_AND_DEFAULT.exec(inner);
    const name = match?.[1];
    if (name === undefined) {
      // What stands behind an unclosed one may be all of a secret.
      const found = closing === '' ? '${ without its }' : quoted(reference);
      problems.push({ expected: '${NAME} or ${NAME:-default}', found });
      return reference;
    }
    const value = valueOrDefault(environment[name], match?.[2]);
    if (value === undefined) problems.push(unset(name));
    return value ?? reference;
  });
  return { text: expanded, problems };
}

/** The text that `expandVariables` turns into this one. */
export function escapeVariables(text: string): string {
  return text.replaceAll('${', () => '$${');
}

function valueOrDefault(value: string | undefined, fallback: string | undefined): string | undefined {
  return fallback !== undefined && (value === undefined || value === '') ? fallback : value;
}

function unset(name: string): { expected: string; found: string } {
  return {
    expected: `the environment variable ${name} to be set, or a default as in \${${name}:-value}`,
    found: 'it unset',
  };
}

/** What the environment says under this name, nothing where there is none; quoted, so that it stays a text. */
export function fromEnvironment(variable: string | undefined): Scalar {
  const node = new Scalar(variable === undefined ? '' : `\${${variable}}`);
  node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

/** Values of a section as they are written, with `${` for what is no variable. */
export function escaped(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, escapedValue(value)]));
}

function escapedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(escapedValue);
  return typeof value === 'string' ? escapeVariables(value) : value;
}
