import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pinned } from '../processes/pinning.ts';
import { PROGRAM_ENVIRONMENT } from '../processes/programs.ts';
import { COUNT, pushScript } from './wrk.ts';

type Asked = { readonly url: string; readonly connections: number; readonly seconds: number };

/**
 * Loads one of Muster's servers with wrk. Resolves to the number of answered requests.
 * @throws Error unless all answers were successes.
 */
export function pushWithWrk({ body, ...asked }: Asked & { readonly body: Buffer }): Promise<number> {
  return runWrk(asked, [], (folder) => {
    writeFileSync(join(folder, 'body.json'), body);
    return pushScript(join(folder, 'body.json'));
  });
}

/** The same with GET requests, to each of which `headers` are added. */
export function getWithWrk(asked: Asked, headers: readonly string[]): Promise<number> {
  return runWrk(
    asked,
    headers.flatMap((header) => ['-H', header]),
    () => COUNT,
  );
}

async function runWrk(
  { url, connections, seconds }: Asked,
  flags: readonly string[],
  scriptIn: (folder: string) => string,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  try {
    const script = join(folder, 'script.lua');
    writeFileSync(script, scriptIn(folder));
    const wrk = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, ...flags, url];
    const [program, ...args] = pinned('client', wrk);
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env: PROGRAM_ENVIRONMENT });
    const [report] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const [, requests, failed] = /REQUESTS (\d+) FAILED (\d+)/.exec(report) ?? [];
    if (failed !== '0') throw new Error(`not every request was answered with success: ${report}`);
    return Number(requests);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
