import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from './peer.ts';

/** It opens connections as answers need them, so a fast server sees fewer than `connections`. */
export const vegeta: Peer = {
  name: 'vegeta',
  paces: true,
  command: ({ url, folder, seconds, body, connections, perSecond }) => {
    const targets = join(folder, 'targets.txt');
    writeFileSync(targets, `POST ${url}\nContent-Type: application/json\n`);
    const pace =
      perSecond === undefined ? ['-rate', '0', '-max-workers', String(connections)] : ['-rate', `${perSecond}/1s`];
    const attack = ['-duration', `${seconds}s`, '-connections', String(connections), '-body', body];
    return ['env', 'GOMAXPROCS=1', 'vegeta', 'attack', '-targets', targets, '-output', '/dev/null', ...pace, ...attack];
  },
};
