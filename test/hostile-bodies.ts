/** Bodies that cost a parser more than their size, by their content. Each function returns a body of at most the given size. */
export const HOSTILE_BODIES: Readonly<Record<string, (sizeBytes: number) => Buffer>> = {
  'nested arrays': (size) => repeated('[', size / 2, ']'.repeat(size / 2)),
  'nested arrays within the limit': (size) => alike(size, `${'['.repeat(400)}${']'.repeat(400)}`, '[]'),
  'nested objects': (size) => Buffer.from(`${'{"a":'.repeat(size / 6)}0${'}'.repeat(size / 6)}`),
  'many tiny keys': (size) => objectOf(size, (n) => `"${n.toString(36)}":0`),
  'keys like array indices': (size) => objectOf(size, (n) => `"${(n * 2_654_435_761) % 4_294_967_296}":0`),
  'many objects, each with a key of its own': (size) => listOf(size, (n) => `{"k${n.toString(36)}":0}`),
  'one key again and again': (size) => alike(size, '"a":0', '{}'),
  'a known key again and again': (size) => alike(size, '"password":"","checkdata":{},"KBArticleIDs":[],"csr":""', '{}'),
  'escaped keys': (size) => objectOf(size, (n) => `"\\u0061${n.toString(36)}":0`),
  __proto__: (size) => alike(size, '{"__proto__":{"x":1}}', '[]'),
  'one huge string': (size) => Buffer.from(`"${'x'.repeat(size - 2)}"`),
  'one huge string of escapes': (size) => Buffer.from(`"${'\\u0041'.repeat((size - 2) / 6)}"`),
  'numbers of 100,000 digits': (size) => alike(size, '9'.repeat(Math.min(100_000, size / 2)), '[]'),
  'a wide array of digits': (size) => alike(size, '0', '[]'),
  'a wide array of objects': (size) => alike(size, '{}', '[]'),
  'arrays and objects in turn': (size) => alike(size, '{"a":[{"b":[0]}]}', '[]'),
  'broken UTF-8': (size) => Buffer.concat([Buffer.from('["'), Buffer.alloc(size - 4, 0xc3), Buffer.from('"]')]),
  'white space': (size) => Buffer.from(`[${' '.repeat(size - 2)}]`),
  unclosed: (size) => Buffer.from('{"a":['.repeat(size / 6)),
  'an unclosed string': (size) => Buffer.from(`{"a":"${'x'.repeat(size - 6)}`),
  'a form of empty fields': (size) => repeated('a&', size / 2, ''),
};

/** A body like real documents. */
export function plainBody(sizeBytes: number): Buffer {
  return alike(sizeBytes, '{"Name":"package","KBArticleIDs":["1"],"Version":"1.0"}', '[]');
}

function repeated(text: string, times: number, end: string): Buffer {
  return Buffer.from(text.repeat(times) + end);
}

/** Repeats one part as often as it fits into the size. */
function alike(sizeBytes: number, part: string, brackets: string): Buffer {
  const bytes = Buffer.alloc(Math.floor((sizeBytes - 1) / (part.length + 1)) * (part.length + 1) + 1, `${part},`);
  return Buffer.concat([Buffer.from(brackets.charAt(0)), bytes.subarray(0, -2), Buffer.from(brackets.charAt(1))]);
}

function listOf(sizeBytes: number, element: (number: number) => string): Buffer {
  return joined(sizeBytes, element, '[]');
}

function objectOf(sizeBytes: number, member: (number: number) => string): Buffer {
  return joined(sizeBytes, member, '{}');
}

function joined(sizeBytes: number, part: (number: number) => string, brackets: string): Buffer {
  const parts: string[] = [];
  let bytes = 2;
  while (bytes <= sizeBytes) {
    const next = part(parts.length);
    bytes += next.length + 1;
    parts.push(next);
  }
  // A single part that exceeds the size is kept.
  if (parts.length > 1) parts.pop();
  return Buffer.from(brackets.charAt(0) + parts.join(',') + brackets.charAt(1));
}
