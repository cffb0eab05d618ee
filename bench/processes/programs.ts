import { execFileSync } from 'node:child_process';

/**
 * Where to look for programs: in the folder that MUSTER_BENCH_PATH names, in PATH, and where Debian installs servers, outside the
 * PATH of ordinary users.
 */
export const PROGRAM_ENVIRONMENT = {
  ...process.env,
  PATH: [process.env.MUSTER_BENCH_PATH, process.env.PATH, '/usr/sbin'].filter(Boolean).join(':'),
};

/** The programs that this machine lacks. */
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
