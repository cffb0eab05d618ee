import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { UserError } from '../../kernel/errors.ts';
import type { Environment } from '../../scenario/reading/variables.ts';
import { readEnvironmentFile } from '../../storage/text-files.ts';
import type { Io } from '../io.ts';

const QUOTED_VALUE = /=[ \t]*(["'`])[\s\S]*?\1/g;
const NOTHING = /^\s*(#.*)?$/;
const ASSIGNMENT = /^\s*(export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=/;

/**
 * The variables of an environment file. Throws `UserError` for lines that assign nothing: Node's parser passes over them,
 * and the run would do without what they were to say. They are not shown, as keys stand in such files.
 */
export async function environmentIn(file: string, { cwd }: Io): Promise<Environment> {
  const text = await readEnvironmentFile(resolve(cwd, file));
  const complaints = strangeLines(text).map(
    (line) => `${file}:${line}: expected NAME=value or # comment, found neither`,
  );
  if (complaints.length > 0) throw new UserError(complaints.join('\n'));
  return parseEnv(text);
}

/** Counted from 1. */
function strangeLines(text: string): readonly number[] {
  // Values in quotes may have several lines.
  const lines = text.replace(QUOTED_VALUE, (value) => `=${value.replace(/[^\n]/g, '')}`).split('\n');
  return lines.flatMap((line, index) => (NOTHING.test(line) || ASSIGNMENT.test(line) ? [] : [index + 1]));
}
