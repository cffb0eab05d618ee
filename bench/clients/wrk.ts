import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from './peer.ts';

/** One thread, like Muster's one worker. */
export const wrk: Peer = {
  name: 'wrk',
  paces: false,
  command: ({ url, folder, seconds, body, connections }) => {
    const script = join(folder, 'push.lua');
    writeFileSync(script, pushScript(body));
    return ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url];
  },
};

/** A script that prints `REQUESTS n FAILED n` at the end. */
export const COUNT =
  'done = function(summary) io.write("REQUESTS ", summary.requests, " FAILED ", summary.errors.status, "\\n") end\n';

/** The same script, which also posts the body from a file. */
export function pushScript(body: string): string {
  return `
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "X-OITC-API"
local file = io.open("${body}", "rb")
wrk.body = file:read("*a")
file:close()
${COUNT}`;
}
