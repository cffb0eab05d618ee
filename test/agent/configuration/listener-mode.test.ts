import { describe, expect, it } from 'vitest';
import { listenerMode } from '../../../src/agent/configuration/listener-mode.ts';

const ALL = { certificate: true, key: true, ca: true };
const NONE = { certificate: false, key: false, ca: false };
const OWN = { certFile: '/c', keyFile: '/k' };

describe('an agent listens', () => {
  it('with mutual TLS as soon as all files of an exchange are there', () => {
    expect(listenerMode({ autoTls: true, ownCertificate: undefined }, ALL)).toEqual({ kind: 'mtls' });
    expect(listenerMode({ autoTls: true, ownCertificate: OWN }, ALL)).toEqual({ kind: 'mtls' });
  });

  it.each(['certificate', 'key', 'ca'] as const)('in the clear while there is no %s', (file) => {
    expect(listenerMode({ autoTls: true, ownCertificate: undefined }, { ...ALL, [file]: false })).toEqual({
      kind: 'plain',
    });
  });

  it('in the clear without Auto-TLS, whatever files there are', () => {
    expect(listenerMode({ autoTls: false, ownCertificate: undefined }, ALL)).toEqual({ kind: 'plain' });
  });

  it('not at all if it has a certificate of its own and Auto-TLS, and a file of the exchange is missing', () => {
    expect(listenerMode({ autoTls: true, ownCertificate: OWN }, { ...NONE, certificate: true })).toMatchObject({
      kind: 'death',
      reason: expect.stringContaining('expected agent.key, server_ca.crt of'),
    });
  });

  it('not at all with a certificate of its own, which a simulated host does not have', () => {
    expect(listenerMode({ autoTls: false, ownCertificate: OWN }, ALL)).toMatchObject({
      kind: 'death',
      reason: expect.stringContaining('config.ini: [default] certfile = "/c"'),
    });
  });
});
