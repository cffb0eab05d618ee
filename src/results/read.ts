import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import { describeValue } from '../base/notation/finding.ts';
import { expectationIn, valueAtPath } from '../base/notation/schema-findings.ts';
import { jsonIn, membersIn } from '../base/protocol/exact-json.ts';
import { readHostData } from '../base/storage/host-data.ts';
import { assertNotPlanted } from '../base/storage/ownership.ts';
import { wholeLines } from '../base/storage/whole-files.ts';
import { RESULT_SCHEMA_VERSION, type Summary, summarySchema } from '../metrics/summary/summary-schema.ts';
import { formatProblems } from '../scenario/reading/document.ts';
import { parseScenario } from '../scenario/reading/parse.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { RESULT_FILES } from './folder.ts';
import { type RunStart, readLogLine, runStartSchema } from './histogram-log.ts';

const NEEDED = [RESULT_FILES.histograms, RESULT_FILES.timeline, RESULT_FILES.scenario];

/**
 * Reads the start facts of a run. Call this before reading the rest, whose format depends on the version.
 * @throws UserError if the folder is not a run's result, the log lacks the facts, or another version wrote it.
 */
export async function readStart(folder: string): Promise<RunStart> {
  assertNotPlanted(folder);
  const missing = NEEDED.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) throw noResult(folder, missing);
  for (const name of NEEDED) assertReadable(join(folder, name));
  const log = join(folder, RESULT_FILES.histograms);
  for await (const { text } of wholeLines(log)) {
    const line = readLogLine(text);
    if (line?.kind === 'start') return checkedFact(runStartSchema, line.json, folder);
    if (line?.kind !== 'other') break;
  }
  throw new UserError(`${log} has no header of its run; was it changed or truncated?`);
}

/** Reads the scenario from a run's results. @throws UserError if it cannot be read. */
export function readResultScenario(folder: string): Scenario {
  const file = join(folder, RESULT_FILES.scenario);
  const text = readFileSync(file, 'utf8');
  // Any values for the secrets that an effective scenario refers to: reading results does not need them.
  const environment = Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, '-:-']));
  const read = parseScenario({ file, text }, { environment, settings: [], hostData: readHostData() });
  if (read.kind === 'scenario') return read.scenario;
  throw new UserError(
    `The scenario of the result is not in the format that a run writes.\n${formatProblems(file, read.problems)}`,
  );
}

/** Reads the summary that a run or its report has written; `undefined` if there is none. @throws UserError if it cannot be read. */
export function readSummary(folder: string): Summary | undefined {
  const file = join(folder, RESULT_FILES.summary);
  if (!existsSync(file)) return undefined;
  assertReadable(file);
  return checked(summarySchema, parsed(readFileSync(file, 'utf8'), file), file);
}

/** Reading a pipe or a device might never end. */
function assertReadable(file: string): void {
  const isFile = statSync(file).isFile();
  if (!isFile)
    throw new UserError(`${file}: expected a file written by muster run, found a folder or a device; remove it.`);
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UserError(`${file}: expected a file that this user may read, found an error: ${messageOf(error)}.`);
  }
}

function noResult(folder: string, missing: readonly string[]): UserError {
  const found = !existsSync(folder)
    ? 'no such folder'
    : statSync(folder).isDirectory()
      ? `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`
      : 'it is a file';
  const latest = join(folder, RESULT_FILES.latest);
  const example = existsSync(latest) ? latest : 'results/quickstart/latest';
  return new UserError(
    `${folder} is not a result of a run: ${found}; choose a folder written by muster run, such as ${example}.`,
  );
}

function checked<Schema extends z.ZodType>(schema: Schema, data: unknown, file: string): z.infer<Schema> {
  assertKnownVersion(data, file);
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0] ?? { path: [], message: '' };
  const found = describeValue(valueAtPath(data, path));
  throw new UserError(
    `${file} is not in the format of muster run: ${path.join('.') || 'its text'}: expected ${expectationIn(message)}, found ${found}.`,
  );
}

/** Parses JSON from a comment of the histogram log. @throws UserError if it is not as written. */
export function checkedFact<Schema extends z.ZodType>(schema: Schema, json: string, folder: string): z.infer<Schema> {
  const log = join(folder, RESULT_FILES.histograms);
  return checked(schema, parsed(json, log), log);
}

function parsed(json: string, file: string): unknown {
  const data = jsonIn(json);
  if (data !== undefined) return data;
  throw new UserError(
    `${file}: expected JSON written by muster run, found other data; was the file changed or truncated?`,
  );
}

function assertKnownVersion(data: unknown, file: string): void {
  const version = membersIn(data).schemaVersion;
  if (typeof version !== 'number' || version === RESULT_SCHEMA_VERSION) return;
  const isNewer = version > RESULT_SCHEMA_VERSION;
  throw new UserError(
    `${file} has schema version ${version}, but this Muster reads ${RESULT_SCHEMA_VERSION}: ` +
      `${isNewer ? 'a newer Muster wrote it; update Muster' : 'it is too old; read it with the Muster that wrote it'}.`,
  );
}
