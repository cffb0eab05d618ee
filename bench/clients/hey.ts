import type { Peer } from './peer.ts';

/** Its rate is that of each connection. */
export const hey: Peer = {
  name: 'hey',
  paces: true,
  command: ({ url, seconds, body, connections, perSecond }) => {
    const pace = perSecond === undefined ? [] : ['-q', String(perSecond / connections)];
    const post = ['-m', 'POST', '-T', 'application/json', '-D', body];
    return ['hey', '-z', `${seconds}s`, '-c', String(connections), '-cpus', '1', '-t', '30', ...pace, ...post, url];
  },
};
