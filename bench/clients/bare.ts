import { resolve } from 'node:path';
import type { Peer } from './peer.ts';

const CLIENT = resolve(import.meta.dirname, '../processes/bare-client.ts');

/** What a request costs anybody who uses the sockets of Node. */
export const bare: Peer = {
  name: 'node',
  paces: false,
  command: ({ url, seconds, body, connections }) => [
    process.execPath,
    CLIENT,
    url,
    body,
    ...[connections, seconds].map(String),
  ],
};
