import type { Peer } from './peer.ts';

export const oha: Peer = {
  name: 'oha',
  paces: true,
  command: ({ url, seconds, body, connections, perSecond }) => {
    const pace = perSecond === undefined ? [] : ['-q', String(perSecond), '--latency-correction'];
    const post = ['-m', 'POST', '-T', 'application/json', '-D', body];
    return ['oha', '--no-tui', '-z', `${seconds}s`, '-c', String(connections), '-t', '30s', ...pace, ...post, url];
  },
};
