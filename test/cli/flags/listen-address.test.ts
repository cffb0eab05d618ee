import { describe, expect, it } from 'vitest';
import { parseListenAddress } from '../../../src/cli/flags/listen-address.ts';

describe('an address to listen on', () => {
  it.each([
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['localhost:0', 'localhost', 0],
    ['[::1]:65535', '::1', 65_535],
    [':80', '127.0.0.1', 80],
  ])('%s has a host and a port', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ host, port });
  });

  it.each(['', '8080', 'host', 'host:', 'host:65536', 'host:-1', '::1:80', '[]:80', 'a:b:80', 'http://a:80'])(
    '%j is none',
    (text) => {
      expect(() => parseListenAddress(text)).toThrow(/^--listen: expected host:port/);
    },
  );
});
