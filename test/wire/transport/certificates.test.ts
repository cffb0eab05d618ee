import { describe, expect, it } from 'vitest';
import { serverName } from '../../../src/wire/transport/dialer.ts';
import { fitsName } from '../../../src/wire/transport/server-certificate.ts';

it.each([
  ['mon.example', 'mon.example'],
  ['mon.example.', 'mon.example'],
  ['127.0.0.1', undefined],
  ['::1', undefined],
])('a TLS handshake with %s asks for the name %s, as the real agent does', (host, servername) => {
  expect(serverName(host)).toEqual({ servername });
});

describe('a DNS name of a certificate', () => {
  it.each([
    ['mon.example', 'mon.example'],
    ['MON.example', 'mon.EXAMPLE'],
    ['mon.example', 'mon.example.'],
    ['*.example', 'mon.example'],
    ['*.mon.example', 'a_b.mon.example'],
    ['-odd.example', '-odd.example'],
  ])('%s matches the host %s', (name, host) => {
    expect(fitsName(name, host)).toBe(true);
  });

  it.each([
    ['other.example', 'mon.example'],
    ['*.example', 'a.mon.example'],
    ['*.mon.example', 'mon.example'],
    ['m*.example', 'mon.example'],
    ['mon.*', 'mon.example'],
    ['*', 'localhost'],
    ['mon.example.', 'mon.example'],
    ['*.example', '-odd.example'],
    ['', ''],
  ])('%s does not match the host %s', (name, host) => {
    expect(fitsName(name, host)).toBe(false);
  });
});
