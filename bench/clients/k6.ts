import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from './peer.ts';

/** Each virtual user has its own connection. */
export const k6: Peer = {
  name: 'k6',
  paces: true,
  command: ({ url, folder, seconds, body, connections, perSecond }) => {
    const script = join(folder, 'push.js');
    const duration = `${seconds}s`;
    const load =
      perSecond === undefined
        ? { executor: 'constant-vus', vus: connections, duration }
        : {
            executor: 'constant-arrival-rate',
            rate: perSecond,
            timeUnit: '1s',
            duration,
            preAllocatedVUs: connections,
          };
    const options = { scenarios: { push: { ...load, gracefulStop: '1s' } }, discardResponseBodies: true };
    const headers = { 'Content-Type': 'application/json' };
    writeFileSync(
      script,
      `import http from 'k6/http';
const body = open(${JSON.stringify(body)}, 'b');
export const options = ${JSON.stringify(options)};
export default () => { http.post(${JSON.stringify(url)}, body, { headers: ${JSON.stringify(headers)} }); };
`,
    );
    return ['env', 'GOMAXPROCS=1', 'k6', 'run', '--quiet', '--no-usage-report', script];
  },
};
