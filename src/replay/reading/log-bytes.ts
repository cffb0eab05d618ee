import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { messageOf, UserError } from '../../base/kernel/errors.ts';
import { readable } from '../../base/storage/text-files.ts';

/** Read in one piece. */
const PIECE_BYTES = 262_144;
/** Compressed bytes at a time: they may unpack to a thousand times as many. */
const PACKED_BYTES = 16_384;
const UNPACKED_BYTES = 131_072;

/** Beginnings of files in another form, and what converts them. */
const OTHERS = [
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), name: 'zstd', command: 'zstdcat' },
  { magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), name: 'xz', command: 'xzcat' },
  { magic: Buffer.from('BZh'), name: 'bzip2', command: 'bzcat' },
  { magic: Buffer.from('PK\u0003\u0004'), name: 'zip', command: 'unzip -p' },
  { magic: Buffer.from([0xff, 0xfe]), name: 'UTF-16', command: 'iconv -f utf-16 -t utf-8' },
];

const MAX_MAGIC_BYTES = 5;
const GZIP = Buffer.from([0x1f, 0x8b]);

/** The bytes of a log, unpacked if it is a gzip file. A piece is valid until the next one. */
export type LogBytes = AsyncGenerator<Buffer, undefined>;

/** The same bytes; the first piece has at least this many, or all. */
export async function* begun(source: AsyncIterable<Uint8Array>, bytes: number): LogBytes {
  let first = Buffer.alloc(0);
  for await (const piece of source) {
    const next = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (first.length >= bytes) yield next;
    else {
      first = Buffer.concat([first, next]);
      if (first.length >= bytes) yield first;
    }
  }
  if (first.length > 0 && first.length < bytes) yield first;
}

/** @param note takes what is wrong with the file although it was read @throws UserError if it is in another form */
export async function* unpacked(
  name: string,
  source: AsyncIterable<Uint8Array>,
  note: (text: string) => void,
): LogBytes {
  const pieces = begun(source, MAX_MAGIC_BYTES);
  try {
    const { value: first } = await pieces.next();
    if (first === undefined) return;
    const other = OTHERS.find(({ magic }) => magic.equals(first.subarray(0, magic.length)));
    if (other !== undefined)
      throw new UserError(
        `${name}: expected a plain or gzip log, found ${other.name}; convert it first: ${other.command} ${name} | muster replay -`,
      );
    const all = joined(first, pieces);
    if (GZIP.equals(first.subarray(0, 2))) yield* gunzipped(all, note);
    else yield* all;
  } finally {
    // Closes the file, also if the rest of it is not wanted.
    await pieces.return(undefined);
  }
}

async function* joined(first: Buffer, rest: LogBytes): LogBytes {
  yield first;
  yield* rest;
}

/** Another thread unpacks the next bytes while the caller works on those before. */
async function* gunzipped(packed: LogBytes, note: (text: string) => void): LogBytes {
  const gunzip = createGunzip({ chunkSize: UNPACKED_BYTES });
  let pieces: Buffer[] = [];
  let isOver = false;
  // After its end or an error, the stream calls back for nothing that it was given.
  let goOn = (): void => {};
  const finish = (): void => {
    isOver = true;
    goOn();
  };
  gunzip.on('data', (piece: Buffer) => pieces.push(piece));
  gunzip.on('end', finish);
  gunzip.on('error', (error) => {
    note(`is damaged or cut (${messageOf(error)}); what was before that is used`);
    finish();
  });
  const taken = (): Buffer[] => {
    const now = pieces;
    pieces = [];
    return now;
  };
  for await (const piece of packed) {
    for (let at = 0; at < piece.length && !isOver; at += PACKED_BYTES) {
      const written = new Promise<void>((resolve) => {
        goOn = resolve;
        gunzip.write(Buffer.from(piece.subarray(at, at + PACKED_BYTES)), () => resolve());
      });
      yield* taken();
      await written;
    }
    // Only zeros may follow the end of a gzip file.
    if (isOver) break;
  }
  if (!isOver)
    await new Promise<void>((resolve) => {
      goOn = resolve;
      gunzip.end();
    });
  yield* taken();
}

/** The bytes of a file until its end as it is when that is reached. @throws UserError if the file cannot be read */
export async function* fileBytes(name: string, path: string, note: (text: string) => void): LogBytes {
  const refused = (error: unknown): never =>
    readable('log', name, () => {
      throw error;
    });
  const file = await open(path).catch(refused);
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    let total = 0;
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, null).catch(refused);
      if (bytesRead === 0) break;
      total += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
    const found = await file.stat();
    if (found.isFile() && found.size < total)
      note('was cut while it was read, as by its rotation; what was read is used');
  } finally {
    await file.close();
  }
}
