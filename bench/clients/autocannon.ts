import type { Peer } from './peer.ts';

/** It shares a rate out over its connections in whole requests per second, so it cannot pace a slow one over many. */
export const autocannon: Peer = {
  name: 'autocannon',
  paces: false,
  command: ({ url, seconds, body, connections }) => {
    const post = ['-m', 'POST', '-H', 'Content-Type: application/json', '-i', body];
    return ['autocannon', '--no-progress', '-d', String(seconds), '-c', String(connections), '-t', '30', ...post, url];
  },
};
