import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressText } from '../../src/base/kernel/address.ts';
import { addressOfAgent, formatListenRange, listenersIn, parseListenRange } from '../../src/scenario/listen-range.ts';

function rangeOf(text: string) {
  const range = parseListenRange(text);
  if (range === undefined) throw new Error(`${text} was to be a range`);
  return range;
}

const addressIn = (text: string, agent: number) => addressText(addressOfAgent(rangeOf(text), agent));

describe('a range of addresses', () => {
  it('gives agent n the address n + 1 above the network address', () => {
    expect(addressIn('127.20.0.0/16:3333', 0)).toBe('127.20.0.1:3333');
    expect(addressIn('127.20.0.0/16:3333', 254)).toBe('127.20.0.255:3333');
    expect(addressIn('127.20.0.0/16:3333', 999)).toBe('127.20.3.232:3333');
    expect(addressIn('240.0.0.0/4:1', 2 ** 28 - 3)).toBe('255.255.255.254:1');
  });

  it.each([
    ['127.20.0.0/16:1', 65_534],
    ['127.20.0.0/24:1', 254],
    ['127.20.0.0/30:1', 2],
    ['127.20.0.0/31:1', 0],
    ['127.20.0.0/32:1', 0],
  ])('%s has room for %d agents: none gets the network or the broadcast address', (text, agents) => {
    expect(listenersIn(rangeOf(text))).toBe(agents);
    expect(() => addressOfAgent(rangeOf(text), agents)).toThrow(RangeError);
  });
});

describe('a range of ports', () => {
  it('gives agent n the port n above the first, up to 65535', () => {
    expect(addressIn('127.0.0.1:20000+', 0)).toBe('127.0.0.1:20000');
    expect(addressIn('[::1]:20000+', 45_535)).toBe('[::1]:65535');
    expect(addressOfAgent(rangeOf('[::1]:20000+'), 1)).toEqual({ host: '::1', port: 20_001 });
    expect(listenersIn(rangeOf('127.0.0.1:65535+'))).toBe(1);
    expect(() => addressOfAgent(rangeOf('127.0.0.1:65535+'), 1)).toThrow(RangeError);
  });
});

describe('a text', () => {
  it.each([
    '',
    '127.0.0.1',
    '127.0.0.1:3333',
    '127.0.0.0/33:3333',
    '127.0.0.256/8:3333',
    '127.010.0.0/16:3333',
    '127.0.0.0/8:0',
    '127.0.0.0/8:65536',
    '127.0.0.0/8:3333+',
    '127.0.0.1:0+',
    '127.0.0.1:65536+',
    '127.0.0.300:20000+',
    '::1:20000+',
    '[::g]:20000+',
    '[1::2::3]:20000+',
    'localhost:20000+',
    ':20000+',
  ])('%j is not a range', (text) => {
    expect(parseListenRange(text)).toBeUndefined();
  });

  it('that is a valid range equals the written form of that range', () => {
    const port = fc.integer({ min: 1, max: 65_535 });
    const text = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }), port).map(([ip, bits, at]) => `${ip}/${bits}:${at}`),
      fc.tuple(fc.ipV4(), port).map(([ip, first]) => `${ip}:${first}+`),
      fc.tuple(fc.constantFrom('::1', 'fd00::7', '::ffff:127.0.0.1'), port).map(([ip, first]) => `[${ip}]:${first}+`),
    );
    fc.assert(
      fc.property(text, (written) => {
        expect(formatListenRange(rangeOf(written))).toBe(written);
      }),
    );
  });
});
