import { execFileSync } from 'node:child_process';

/** Of these programs of the machine, the ones that are missing. */
export function missingOf(programs: readonly string[]): string[] {
  // Debian keeps servers out of the search path of ordinary users.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  return programs.filter((program) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore', env });
      return false;
    } catch {
      return true;
    }
  });
}
