import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { UserError } from '../../base/kernel/errors.ts';
import { readTextFile } from '../../base/storage/text-files.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { Io } from '../io.ts';

const QUOTED_VALUE = /=[ \t]*(["'`])[\s\S]*?\1/g;
const VALUE = /=[ \t]*(["'`])[\s\S]*?\1|(?<==[ \t]*)[^\s"'`#].*?(?=[ \t]+#|[ \t]*$)/gm;
const NOTHING = /^\s*(#.*)?$/;
const ASSIGNMENT = /^\s*(export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=/;

/**
 * Reads an environment file. Throws `UserError` for lines without an assignment, which Node's parser would silently ignore. Messages
 * do not show the lines, because such files contain keys.
 */
export async function environmentIn(file: string, { cwd }: Io): Promise<Variables> {
  const text = (await readTextFile('environment file', resolve(cwd, file))).replaceAll('\r\n', '\n');
  const complaints = invalidLines(text).map(
    (line) => `${file}:${line}: expected NAME=value or # comment, found neither`,
  );
  if (complaints.length > 0) throw new UserError(complaints.join('\n'));
  return parseEnv(text.replace(VALUE, withQuotes));
}

/** In quotes, because Node's parser ends a bare value such as abc#def at its `#`; a comment begins behind a blank. */
function withQuotes(value: string, quoted: string | undefined): string {
  const quote = ["'", '"', '`'].find((one) => !value.includes(one));
  return quoted !== undefined || quote === undefined || !value.includes('#') ? value : `${quote}${value}${quote}`;
}

/** Numbers of invalid lines, from 1. */
function invalidLines(text: string): readonly number[] {
  // Quoted values may span several lines.
  const lines = text.replace(QUOTED_VALUE, (value) => `=${value.replace(/[^\n]/g, '')}`).split('\n');
  return lines.flatMap((line, index) => (NOTHING.test(line) || ASSIGNMENT.test(line) ? [] : [index + 1]));
}
