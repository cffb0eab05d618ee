import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from './peer.ts';

/** With its fast client, and one user per connection. */
export const locust: Peer = {
  name: 'locust',
  paces: false,
  command: ({ url, folder, seconds, body, connections }) => {
    const script = join(folder, 'push.py');
    writeFileSync(
      script,
      `from locust import FastHttpUser, task
BODY = open(${JSON.stringify(body)}, "rb").read()
class Agent(FastHttpUser):
    @task
    def push(self):
        self.client.post("/", data=BODY, headers={"Content-Type": "application/json"})
`,
    );
    const users = ['-u', String(connections), '-r', String(connections)];
    return ['locust', '-f', script, '--headless', '--only-summary', ...users, '-t', `${seconds}s`, '-H', url];
  },
};
