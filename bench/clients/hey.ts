import type { Peer } from './peer.ts';

/** Its rate applies to each connection. The first request comes a whole interval after the start. */
export const hey: Peer = {
  name: 'hey',
  paces: true,
  command: ({ url, seconds, body, connections, perSecond }) => {
    const pace = perSecond === undefined ? [] : ['-q', String(perSecond / connections)];
    const firstSeconds = perSecond === undefined ? 0 : Math.ceil(connections / perSecond);
    const post = ['-m', 'POST', '-T', 'application/json', '-D', body];
    return [
      'hey',
      '-z',
      `${seconds + firstSeconds}s`,
      '-c',
      String(connections),
      '-cpus',
      '1',
      '-t',
      '30',
      ...pace,
      ...post,
      url,
    ];
  },
};
