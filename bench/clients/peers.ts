import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingOf } from '../processes/programs.ts';
import { artillery } from './artillery.ts';
import { autocannon } from './autocannon.ts';
import { bare } from './bare.ts';
import type { Client } from './client.ts';
import { hey } from './hey.ts';
import { k6 } from './k6.ts';
import { locust } from './locust.ts';
import { oha } from './oha.ts';
import type { Peer } from './peer.ts';
import { vegeta } from './vegeta.ts';
import { wrk } from './wrk.ts';

/** To add a peer, write a file and add its line here. */
const PEERS: readonly Peer[] = [wrk, bare, hey, oha, vegeta, autocannon, k6, artillery, locust];

type Load = { readonly body: Buffer; readonly connections: number; readonly perSecond?: number };

/** Returns the installed peers as clients with this load, and notes the names of the others. With a rate, only those that can pace. */
export function peers({ body, connections, perSecond }: Load, note: (text: string) => void): readonly Client[] {
  const able = PEERS.filter(({ paces }) => paces || perSecond === undefined);
  const missing = missingOf(able.map(({ name }) => name));
  if (missing.length > 0) note(`Not found, and skipped: ${missing.join(', ')}.`);
  return able
    .filter(({ name }) => !missing.includes(name))
    .map(({ name, command }) => ({
      name,
      command: (place) => {
        const file = join(place.folder, 'body.json');
        writeFileSync(file, body);
        return command({ ...place, body: file, connections, perSecond });
      },
    }));
}
