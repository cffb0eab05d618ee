import { isScalar, parseDocument } from 'yaml';

/** What YAML takes an unquoted text for: a number, true or false, or the text itself. Never a structure. */
export function plainScalarValue(text: string): unknown {
  const { contents, errors } = parseDocument(text);
  const isPlain = errors.length === 0 && isScalar(contents) && contents.type === 'PLAIN' && contents.source === text;
  return isPlain ? contents.value : text;
}
