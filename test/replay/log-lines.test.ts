import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KNOWN_FORMATS } from '../../src/replay/known-formats.ts';
import { createLogReader, emptyCounts } from '../../src/replay/log-lines.ts';
import '../draws.ts';
import { combined } from './logs.ts';

/** Reads pieces of a log. */
function read(pieces: readonly (string | Buffer)[]) {
  const counts = emptyCounts();
  const clients: string[] = [];
  const reader = createLogReader('access.log', {
    format: KNOWN_FORMATS,
    counts,
    take: ({ client: { bytes, from, to } }) => void clients.push(bytes.toString('latin1', from, to)),
  });
  for (const piece of pieces) reader.push(Buffer.from(piece));
  reader.end();
  return { ...counts, clients };
}

const LINES = Array.from({ length: 12 }, (_, index) => combined({ client: `192.0.2.${index}`, second: index }));

describe('the lines of a log', () => {
  it('are the same in pieces of any size', () => {
    const text = `${LINES.join('\n')}\n`;
    const whole = read([text]);
    expect(whole.clients).toHaveLength(LINES.length);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 40 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        expect(read(places.slice(1).map((end, index) => text.slice(places[index], end)))).toEqual(whole);
      }),
    );
  });

  it('may end with CRLF, lack the last line feed, begin with a mark, and have empty ones', () => {
    const found = read([`\uFEFF${LINES.slice(0, 3).join('\r\n')}\r\n\r\n\n${LINES[3]}`]);
    expect(found).toMatchObject({
      lines: 4,
      strange: 0,
      clients: ['192.0.2.0', '192.0.2.1', '192.0.2.2', '192.0.2.3'],
    });
  });

  it('may follow the zeros that cutting a log leaves', () => {
    expect(read([Buffer.alloc(1000), `${LINES[0]}\n`])).toMatchObject({ lines: 1, strange: 0, clients: ['192.0.2.0'] });
  });

  it('are counted, and the first three that are not understood are named', () => {
    const found = read([
      `${LINES[0]}\nfoo\n${combined({ request: 'GET / HTTP/1.1' })}\nbar\n\n${LINES[1]}\nbaz\nqux\n`,
    ]);
    expect(found).toMatchObject({ lines: 7, others: 1, strange: 4, clients: ['192.0.2.0', '192.0.2.1'] });
    expect(found.firstStrange).toEqual(
      [2, 4, 7].map((line) => ({ file: 'access.log', line, why: 'column 1: expected $remote_addr' })),
    );
  });

  it('of megabytes are counted, take no memory, and do not hide the next', () => {
    const long = combined({ request: `POST /${'x'.repeat(3_000_000)} HTTP/1.1` });
    const text = `${LINES[0]}\n${long}\n${LINES[1]}\n`;
    const pieces = Array.from({ length: 60 }, (_, index) => text.slice(index * 65_536, (index + 1) * 65_536));
    expect(read(pieces)).toMatchObject({
      lines: 3,
      strange: 1,
      clients: ['192.0.2.0', '192.0.2.1'],
      firstStrange: [{ line: 2, why: 'expected at most 262144 bytes' }],
    });
  });

  it('show clocks that were set back, and changes of the time zone', () => {
    const summer = LINES[4]?.replace('12:00:04 +0000', '14:00:04 +0200') ?? '';
    const found = read([[LINES[0], LINES[11], LINES[2], LINES[3], summer, LINES[3]].join('\n')]);
    expect(found).toMatchObject({ stepsBack: 1, longestStepUs: 9e6, firstStep: { file: 'access.log', line: 3 } });
    expect([...found.zones.keys()]).toEqual([0, 120]);
  });
});
