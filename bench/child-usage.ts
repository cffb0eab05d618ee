import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** What a process used from its start until it was about to end. */
export type Usage = {
  readonly cpuSeconds: number;
  /** Highest resident memory. */
  readonly peakBytes: number;
  readonly stdout: string;
  readonly exitCode: number | null;
};

const SAMPLE_MS = 50;

/**
 * Runs a command to its end. CPU time of all its threads and peak memory come from the kernel's account of the process,
 * read until it ends: at most the last sample's interval is missing.
 */
export async function usageOf(command: string, args: readonly string[]): Promise<Usage> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  let last = { cpuSeconds: 0, peakBytes: 0 };
  const sampler = setInterval(() => {
    last = accountOf(child.pid ?? 0) ?? last;
  }, SAMPLE_MS);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearInterval(sampler);
  return { ...last, stdout, exitCode };
}

// Ticks of the kernel's process accounting; a hundred a second on every Linux that Node runs on.
const TICKS_PER_SECOND = 100;

function accountOf(pid: number): { cpuSeconds: number; peakBytes: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    if (peak === null) return undefined;
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
      peakBytes: Number(peak[1]) * 1024,
    };
  } catch {
    // The process has just ended.
    return undefined;
  }
}
