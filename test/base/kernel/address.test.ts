import { describe, expect, it } from 'vitest';
import { addressOf, isAllowedHost, parseAddress } from '../../../src/base/kernel/address.ts';

describe('an address', () => {
  it.each([
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['localhost:0', 'localhost', 0],
    [':65535', '127.0.0.1', 65_535],
    ['[::1]:80', '::1', 80],
    ['[::]:0', '::', 0],
    ['[fe80::1%eth0]:80', 'fe80::1%eth0', 80],
    ['load_1.muster.example.:80', 'load_1.muster.example.', 80],
    ['bücher.example:80', 'bücher.example', 80],
  ])('%s is host %s and port %d', (text, host, port) => {
    expect(parseAddress(text)).toEqual({ host, port });
  });

  it.each([
    '*:80',
    'host name:80',
    'a/b:80',
    'user@host:80',
    'a..b:80',
    '.:80',
    '-a:80',
    '[abc]:80',
    '[127.0.0.1]:80',
    '[::1%]:80',
  ])('%j has no host', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it.each(['8080', 'localhost', ':', ':65536', ':-1', '::1:80', '[::1]', '127.0.0.1:80x', ''])(
    '%j is not an address',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );

  it.each([
    ['http://srv', 'srv', 80],
    ['https://srv/prefix', 'srv', 443],
    ['http://[::1]:8080', '::1', 8080],
    ['https://srv:80', 'srv', 80],
  ])('of %s is host %s and port %d', (url, host, port) => {
    expect(addressOf(new URL(url))).toEqual({ host, port });
  });
});

describe('a host beyond loopback', () => {
  const ALLOW = [
    '10.1.0.0/16',
    'A.example',
    '[fd00::7]',
    '0.0.0.0',
    '10.9.0.7/40',
    'b.example/8',
    'münchen.example',
    'c.example.',
  ];

  it.each([
    ...['127.0.0.1', '::1', 'localhost', '10.1.255.255', 'a.example', 'fd00::7', '0.0.0.0'],
    ...['xn--mnchen-3ya.example', 'MÜNCHEN.example', 'a.example.', 'c.example', 'fd00:0::7'],
  ])('%s is allowed', (host) => {
    expect(isAllowedHost(host, ALLOW)).toBe(true);
  });

  it.each([
    '10.2.0.0',
    '10.9.0.7',
    'b.example',
    'example',
    '::',
    '',
    '10.1.0',
    '::ffff:10.1.0.1',
    'a.example/x',
    'a.example..',
  ])('%s is not allowed', (host) => {
    expect(isAllowedHost(host, ALLOW)).toBe(false);
  });
});
