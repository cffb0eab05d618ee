import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Account, accountOf } from './account.ts';
import { pinned } from './pinning.ts';

export type Ended = Account & { readonly seconds: number; readonly exitCode: number | null };

const SAMPLE_MS = 20;

/** Runs a client's command until it ends. Resources used after the last sample are not counted. */
export async function runToEnd(command: readonly string[]): Promise<Ended> {
  const startMs = performance.now();
  const [program, ...args] = pinned('client', command);
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  let last = accountOf(child.pid ?? 0);
  const sampler = setInterval(() => {
    const now = accountOf(child.pid ?? 0);
    if (now.rssBytes > 0) last = now;
  }, SAMPLE_MS);
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  clearInterval(sampler);
  return { ...last, seconds: (performance.now() - startMs) / 1000, exitCode };
}
