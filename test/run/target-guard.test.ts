import { describe, expect, it } from 'vitest';
import { TargetNotAllowedError } from '../../src/kernel/errors.ts';
import { assertAddressesAllowed, assertTargetAllowed } from '../../src/run/target-guard.ts';
import type { Target } from '../../src/scenario/scenario.ts';

const target = (url: string, allow: string[] = []): Target => ({
  url,
  allow,
  apiKey: '',
  timeoutMs: 1000,
  tls: { verify: true, caFile: undefined, serve: undefined },
  dialect: 'documented',
  faults: [],
  pull: undefined,
});

describe('the target guard', () => {
  it.each([
    'embedded',
    'http://127.0.0.1:8080',
    'http://127.9.8.7',
    'https://[::1]:3/x',
    'http://localhost',
    'http://LOCALHOST:80',
  ])('lets %s pass: it is this machine', (url) => {
    expect(() => assertTargetAllowed(target(url))).not.toThrow();
  });

  it.each([
    'http://mon.example',
    'http://10.0.0.1',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://128.0.0.1',
    'http://[::2]',
    'http://0.0.0.0',
    'http://evil.example/?127.0.0.1',
    'http://127.0.0.1@evil.example',
  ])('refuses %s and says how to allow it', (url) => {
    expect(() => assertTargetAllowed(target(url))).toThrow(TargetNotAllowedError);
    expect(() => assertTargetAllowed(target(url))).toThrow(`--allow ${new URL(url).hostname}`);
  });

  it('lets a host pass that is allowed by name, and no other', () => {
    expect(() => assertTargetAllowed(target('https://mon.example/push', ['mon.example']))).not.toThrow();
    expect(() => assertTargetAllowed(target('https://mon.example', ['Mon.Example']))).not.toThrow();
    expect(() => assertTargetAllowed(target('http://[2001:db8::1]', ['2001:db8::1']))).not.toThrow();
    expect(() => assertTargetAllowed(target('https://sub.mon.example', ['mon.example']))).toThrow(
      TargetNotAllowedError,
    );
  });

  it('refuses a name that only looks like this machine, once its addresses are known', () => {
    const evil = target('http://evil.localhost:80');
    expect(() => assertTargetAllowed(evil)).not.toThrow();
    for (const addresses of [['10.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['::2']]) {
      expect(() => assertAddressesAllowed(evil, addresses)).toThrow(
        /resolves to .*, which is not this machine.*--allow/,
      );
    }
    for (const addresses of [['127.0.0.1', '::1'], ['127.3.2.1'], []]) {
      expect(() => assertAddressesAllowed(evil, addresses)).not.toThrow();
    }
    expect(() => assertAddressesAllowed(target('http://mon.example', ['mon.example']), ['10.0.0.1'])).not.toThrow();
  });
});
