import { resolve } from 'node:path';
import { writeScenarioFile } from '../../storage/text-files.ts';
import type { Io } from '../io.ts';
import { FIRST_SCENARIO } from './first-scenario.ts';

export async function init({ file, force }: { file: string; force: boolean }, io: Io): Promise<void> {
  await writeScenarioFile(resolve(io.cwd, file), FIRST_SCENARIO, force ? 'replace' : 'create');
  io.stderr.write(`Wrote ${file}. Now: muster run ${file}\n`);
}
