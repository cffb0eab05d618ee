/** Certificate requests that cost a parser more than their size, by their content. Each has approximately the given size. */
export const HOSTILE_REQUESTS: Readonly<Record<string, (sizeBytes: number) => string>> = {
  'no PEM': (size) => 'x'.repeat(size),
  'first lines without last ones': (size) => '-----BEGIN CERTIFICATE REQUEST-----\n'.repeat(size / 36),
  'beginnings of first lines': (size) => '-----BEGIN '.repeat(size / 11),
  dashes: (size) => '-'.repeat(size),
  'many requests': (size) => pem(Buffer.from('3000', 'hex')).repeat(size / 77),
  'lines of a header': (size) => pem(Buffer.of()).replace('\n', `\n${'a: b\n'.repeat(size / 5)}\n`),
  blanks: (size) => pem(Buffer.of()).replace('\n', '\n '.repeat(size / 2)),
  'one long number': (size) => pem(sequence(tagged(0x02, Buffer.alloc(bytesIn(size), 0x7f)))),
  'many small values': (size) => pem(sequence(Buffer.alloc(bytesIn(size)).fill(EMPTY))),
  'values within values': (size) => pem(nested(Math.min(3000, bytesIn(size) / 7))),
  'values within values without length': (size) => pem(Buffer.from('3080'.repeat(bytesIn(size) / 2), 'hex')),
  'a key that long': (size) => pem(request(rsaKey(Math.max(64, bytesIn(size) - 400), THREE))),
  'a key of 16,384 bits, with such an exponent': () => pem(request(rsaKey(2048, Buffer.alloc(2047, 0xff)))),
  'a subject of many names': (size) => pem(request(rsaKey(256, THREE), sequence(copies(COMMON_NAME, size)))),
  'many attributes': (size) => pem(request(rsaKey(256, THREE), sequence(), tagged(0xa0, copies(ATTRIBUTE, size)))),
};

const EMPTY = Buffer.from([5, 0]);
const THREE = Buffer.from([3]);
const COMMON_NAME = tagged(0x31, sequence(Buffer.from('0603550403', 'hex'), tagged(0x0c, Buffer.from('a'))));
const ATTRIBUTE = sequence(Buffer.from('06092a864886f70d010907', 'hex'), tagged(0x31, tagged(0x0c, Buffer.from('a'))));

/** Number of bytes whose base64, with line breaks, has this size. */
function bytesIn(sizeBytes: number): number {
  return Math.floor(sizeBytes * 0.72);
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}

function copies(part: Buffer, sizeBytes: number): Buffer {
  return Buffer.alloc(Math.ceil(Math.max(0, bytesIn(sizeBytes) - 700) / part.length) * part.length, part);
}

/** A DER-encoded ASN.1 value. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x83, length >> 16, (length >> 8) & 255, length & 255]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function nested(levels: number): Buffer {
  let value: Buffer = EMPTY;
  for (let level = 1; level < levels; level++) value = sequence(value);
  return value;
}

function rsaKey(modulusBytes: number, exponent: Buffer): Buffer {
  const positive = (number: Buffer) => tagged(0x02, Buffer.from([0]), number);
  const key = sequence(positive(Buffer.alloc(modulusBytes, 0xff)), positive(exponent));
  return sequence(sequence(Buffer.from('06092a864886f70d010101', 'hex'), EMPTY), tagged(0x03, Buffer.from([0]), key));
}

function request(key: Buffer, subject = sequence(), attributes = tagged(0xa0)): Buffer {
  return sequence(
    sequence(tagged(0x02, Buffer.from([0])), subject, key, attributes),
    sequence(Buffer.from('06092a864886f70d01010b', 'hex'), EMPTY),
    tagged(0x03, Buffer.from([0]), Buffer.alloc(256, 1)),
  );
}
