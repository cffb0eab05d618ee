import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from './peer.ts';

/** A virtual user per connection, who posts without end. */
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
      // A virtual user ends with its flow; a thousand requests a second outlast none of these.
      scenarios: [{ flow: [{ loop: [{ post }], count: 1000 * seconds }] }],
    };
    writeFileSync(script, JSON.stringify(scenario));
    return ['timeout', String(seconds), 'artillery', 'run', '--quiet', script];
  },
};
