import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PHP_JSON } from '../../../src/base/protocol/json.ts';
import { COMPOSITE, readEnvelope } from '../../../src/server/json/envelope.ts';
import { anyCharacter } from '../../any-character.ts';
import { draws } from '../../draws.ts';

/** The result of JSON.parse, which, unlike the envelope, accepts escapes of unpaired surrogates. */
function parsed(text: string): unknown {
  if (hasUnpairedEscape(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function hasUnpairedEscape(text: string): boolean {
  const unicodeEscapes = text.replaceAll(/\\[^u]/gs, '');
  const pairs = /\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}/gi;
  return /\\ud[89a-f]/i.test(unicodeEscapes.replaceAll(pairs, ''));
}

function read(text: string) {
  return readEnvelope(Buffer.from(text));
}

/** The expected envelope, computed with JSON.parse. */
function expected(text: string) {
  const value = JSON.parse(text);
  const members = value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
  const { agentuuid, password, hostname, ipaddress, checkdata } = members;
  const plain = (field: unknown) => (typeof field === 'object' && field !== null ? COMPOSITE : field);
  return {
    agentuuid: plain(agentuuid),
    password: plain(password),
    hostname: plain(hostname),
    ipaddress: plain(ipaddress),
    checks: checkdata !== null && typeof checkdata === 'object' ? Object.keys(checkdata).length : 0,
  };
}

function summary(text: string) {
  const envelope = read(text);
  if (envelope === undefined) return undefined;
  const { checkdata, ...fields } = envelope;
  return { ...fields, checks: checkdata?.size ?? 0 };
}

const names = fc.oneof(
  fc.constantFrom('agentuuid', 'password', 'hostname', 'ipaddress', 'checkdata', '__proto__', 'toString', ''),
  fc.string({ unit: anyCharacter }),
);
const json = fc.jsonValue({ maxDepth: 4 });
const spaces = fc.stringMatching(/^[ \n\r\t]{0,3}$/);

/** An object's text with members in any order, repeated names, and white space in every permitted place. */
const objectText = fc
  .array(fc.tuple(names, fc.oneof(json, fc.dictionary(names, json)), spaces), { maxLength: 8 })
  .map((members) => {
    const texts = members.map(([name, value, gap]) => {
      return `${gap}${escaped(name)}${gap}:${gap}${JSON.stringify(value, null, gap.length)}${gap}`;
    });
    return `{${texts.join(',')}}`;
  });

function escaped(name: string): string {
  return name.length % 2 === 0 ? JSON.stringify(name) : `"${[...name].map(unicodeEscape).join('')}"`;
}

function unicodeEscape(letter: string): string {
  return [...Array(letter.length).keys()]
    .map((i) => `\\u${letter.charCodeAt(i).toString(16).padStart(4, '0')}`)
    .join('');
}

describe('the envelope', () => {
  it('agrees with JSON.parse for any JSON document', () => {
    fc.assert(
      fc.property(fc.oneof(objectText, fc.json()), (text) => {
        if (parsed(text) === undefined) return;
        expect(summary(text)).toEqual(expected(text));
      }),
      { numRuns: draws(200) },
    );
  });

  it('accepts exactly what JSON.parse accepts if a document is damaged anywhere', () => {
    const damage = fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...'{}[]",:\\\u0000\n0-.eE+tfnu /é'));
    fc.assert(
      fc.property(fc.oneof(objectText, fc.json()), damage, (text, [position, removed, inserted]) => {
        const at = position % (text.length + 1);
        const damaged = (text.slice(0, at) + inserted + text.slice(at + removed)).toWellFormed();
        expect(read(damaged) !== undefined).toBe(parsed(damaged) !== undefined || damaged === '');
      }),
      { numRuns: draws(320) },
    );
  });

  it('refuses every control character in strings, in values and in names, in parsed and in skipped parts', () => {
    const control = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code));
    const places = [
      (c: string) => `{"agentuuid":"a${c}"}`,
      (c: string) => `{"${c}":1}`,
      (c: string) => `{"checkdata":{"${c}":1}}`,
      (c: string) => `{"checkdata":{"a":["${c}"]}}`,
      (c: string) => `{"checkdata":{"a":{"b${c}":1}}}`,
    ];
    for (const place of places) {
      expect(control.filter((c) => read(place(c)) !== undefined)).toEqual([]);
      expect(read(place(' '))).toBeDefined();
    }
  });

  it('refuses every proper prefix of a document', () => {
    const text = '{"checkdata":{"a":[1,{"b":-1.5e+3}],"c":"\\u00e9\\n"},"agentuuid":"x","password":null} ';
    const accepted = [...text].map((_, length) => text.slice(0, length)).filter((prefix) => read(prefix) !== undefined);
    expect(accepted).toEqual(['', text.trimEnd()]);
  });

  it('accepts the same numbers as JSON.parse', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-+0-9.eE]{1,6}$/), (text) => {
        expect(read(`[${text}]`) !== undefined).toBe(parsed(`[${text}]`) !== undefined);
        expect(read(text) !== undefined).toBe(parsed(text) !== undefined);
      }),
      { numRuns: draws(160) },
    );
  });

  it('uses the last of several members with the same name', () => {
    const text =
      '{"checkdata":{"a":1,"b":2},"agentuuid":"first","checkdata":{"c":1,"\\u0063":2},"agentuuid":"last","password":"p"}';
    expect(summary(text)).toMatchObject({ checks: 1, agentuuid: 'last' });
  });

  it('follows nesting up to the limit without recursion, and refuses deeper nesting', () => {
    const nested = (depth: number) => `{"checkdata":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(read(nested(PHP_JSON.mostNesting))).toBeDefined();
    expect(read(nested(PHP_JSON.mostNesting + 1))).toBeUndefined();
    expect(read('['.repeat(1_000_000))).toBeUndefined();
    expect(read('{"a":'.repeat(1_000_000))).toBeUndefined();
  });

  it('counts entries beyond the number that it distinguishes', () => {
    const members = Array.from({ length: 70_000 }, (_, i) => `"${i}":0`);
    expect(read(`{"checkdata":{${members.join(',')}}}`)?.checkdata?.size).toBe(70_000);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(readEnvelope(Buffer.from('{"agentuuid":"\xff"}', 'latin1'))).toBeUndefined();
  });

  it.each(['\\ud800', '\\udc00', '\\ud800x', '\\ud800\\n', '\\ud800\\ud800', '\\udc00\\ud800', '\\uD83D\\u0041'])(
    'refuses the unpaired surrogate in "%s", in values and in names, as the shipped parser does',
    (written) => {
      expect(read(`{"agentuuid":"${written}"}`)).toBeUndefined();
      expect(read(`{"checkdata":{"${written}":[1]}}`)).toBeUndefined();
      expect(read(`{"checkdata":[["${written}"]]}`)).toBeUndefined();
    },
  );

  it('reads a surrogate pair as one character', () => {
    expect(read('{"agentuuid":"\\ud83d\\uDE00","checkdata":["\\uD83d\\ude00"]}')?.agentuuid).toBe('\u{1f600}');
  });

  it('gives the position of each check in the body', () => {
    const text = '{"checkdata":{ "agent" : {"goos":"linux"} ,"users":[]}}';
    const span = read(text)?.checkdata?.member('agent');
    expect(text.slice(span?.start, span?.end)).toBe('{"goos":"linux"}');
  });
});
