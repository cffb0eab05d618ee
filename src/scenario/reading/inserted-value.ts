import { isScalar, parseDocument } from 'yaml';
import type { Path } from '../../notation/finding.ts';
import { takesTextOnly } from '../schema/written-schema.ts';

/**
 * The value of an unquoted text that a variable or flag puts in at this path of a scenario: what YAML takes it for, a
 * number or true or false, but never a structure; and where the schema wants a text, the text, whatever it looks like.
 */
export function insertedValue(text: string, path: Path): unknown {
  if (takesTextOnly(path)) return text;
  const { contents, errors } = parseDocument(text);
  const isPlain = errors.length === 0 && isScalar(contents) && contents.type === 'PLAIN' && contents.source === text;
  return isPlain ? contents.value : text;
}
