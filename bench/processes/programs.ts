import { execFileSync } from 'node:child_process';

/**
 * Where programs are looked for: a folder that MUSTER_BENCH_PATH names, then PATH, then where Debian keeps servers out
 * of the way of ordinary users.
 */
export const PROGRAM_ENVIRONMENT = {
  ...process.env,
  PATH: [process.env.MUSTER_BENCH_PATH, process.env.PATH, '/usr/sbin'].filter(Boolean).join(':'),
};

/** Of these programs, the ones that this machine lacks. */
export function missingOf(programs: readonly string[]): readonly string[] {
  return programs.filter((program) => {
    try {
      execFileSync('sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore', env: PROGRAM_ENVIRONMENT });
      return false;
    } catch {
      return true;
    }
  });
}
