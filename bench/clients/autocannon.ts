import type { Peer } from './peer.ts';

/** Distributes a rate over its connections in whole requests per second, so it cannot pace a low rate over many connections. */
export const autocannon: Peer = {
  name: 'autocannon',
  paces: false,
  command: ({ url, seconds, body, connections }) => {
    const post = ['-m', 'POST', '-H', 'Content-Type: application/json', '-i', body];
    return ['autocannon', '--no-progress', '-d', String(seconds), '-c', String(connections), '-t', '30', ...post, url];
  },
};
