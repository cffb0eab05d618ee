import type { Client } from './client.ts';

/** OpenSSL's own benchmark of handshakes: one connection after another, each with one request and a new session. */
export const sTime: Client = {
  name: 'openssl s_time',
  command: ({ url, seconds }) => {
    const words = ['-connect', new URL(url).host, '-new', '-www', '/', '-time', String(seconds)];
    return ['openssl', 's_time', ...words];
  },
};
