import { resolve } from 'node:path';
import { assertReportWritable, writeReport } from '../../base/storage/whole-files.ts';

/**
 * Returns a function that writes a report to the file of a flag; `undefined` without the flag.
 * @throws UserError if the file cannot be written, before anything is measured
 */
export function reportWriter(file: string | undefined, cwd: string): ((text: string) => void) | undefined {
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  assertReportWritable(path);
  return (text) => writeReport(path, text);
}
