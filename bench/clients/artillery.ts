import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from './peer.ts';

/** One virtual user per connection, which posts in a loop. */
export const artillery: Peer = {
  name: 'artillery',
  paces: false,
  command: ({ url, folder, seconds, body, connections }) => {
    const script = join(folder, 'push.yaml');
    const post = { url: '/', headers: { 'Content-Type': 'application/json' }, body: readFileSync(body, 'utf8') };
    const scenario = {
      config: {
        target: url,
        http: { maxSockets: 1, timeout: 30 },
        phases: [{ duration: 1, arrivalCount: connections, maxVusers: connections }],
      },
      // A virtual user ends with its flow. At 1,000 requests per second, none ends early.
      scenarios: [{ flow: [{ loop: [{ post }], count: 1000 * seconds }] }],
    };
    writeFileSync(script, JSON.stringify(scenario));
    return ['timeout', String(seconds), 'artillery', 'run', '--quiet', script];
  },
};
