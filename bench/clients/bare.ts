import { resolve } from 'node:path';
import type { Peer } from './peer.ts';

const CLIENT = resolve(import.meta.dirname, '../processes/bare-client.ts');

/** The cost of a request to any program that uses Node's sockets. */
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
