import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from './peer.ts';

/** One thread, as Muster has one worker. */
export const wrk: Peer = {
  name: 'wrk',
  paces: false,
  command: ({ url, folder, seconds, body, connections }) => {
    const script = join(folder, 'push.lua');
    writeFileSync(script, pushScript(body));
    return ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url];
  },
};

/** A script that says at the end `REQUESTS n FAILED n`. */
export const COUNT =
  'done = function(summary) io.write("REQUESTS ", summary.requests, " FAILED ", summary.errors.status, "\\n") end\n';

/** The same, which posts the body in a file. */
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
