/**
 * Passwords of many agents, by number, in large pieces of memory. As strings, each would be an object that the garbage collector visits
 * again and again. Plain data that can be sent to other threads.
 */
export type PackedPasswords = {
  /** By agent: number of the piece × `PIECE_BYTES` + offset in the piece; 0: no password. */
  readonly places: Uint32Array;
  readonly pieces: Uint8Array[];
};

const PIECE_BYTES = 1 << 20;
// Offset 0 is not used, because a place of 0 means no password.
const FIRST_PLACE = 1;
/** Precedes each password: its length in bytes, plus `HEX` if the bytes stand for hexadecimal digits. */
const HEADER_BYTES = 4;
const HEX = 2 ** 31;

export function noPasswords(agents: number): PackedPasswords {
  return { places: new Uint32Array(agents), pieces: [] };
}

/** Reads and writes passwords in place. */
export function passwordsIn({ places, pieces }: PackedPasswords) {
  const buffers = pieces.map(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length));
  // The used size of the last piece is not stored, so the next password starts a new piece.
  let end = PIECE_BYTES;
  const begin = (sizeBytes: number): number => {
    if (end + sizeBytes > PIECE_BYTES) {
      const piece = Buffer.alloc(Math.max(PIECE_BYTES, FIRST_PLACE + sizeBytes));
      buffers.push(piece);
      pieces.push(piece);
      end = FIRST_PLACE;
    }
    const place = (buffers.length - 1) * PIECE_BYTES + end;
    end += sizeBytes;
    return place;
  };
  const pieceOf = (place: number): Buffer => buffers[Math.floor(place / PIECE_BYTES)] as Buffer;
  const headerAt = (place: number): number => pieceOf(place).readUInt32LE(place % PIECE_BYTES);
  return {
    /** Empty if there is none. */
    get: (agent: number): string => {
      const place = places[agent] as number;
      if (place === 0) return '';
      const header = headerAt(place);
      const start = (place % PIECE_BYTES) + HEADER_BYTES;
      return pieceOf(place).toString(header < HEX ? 'utf8' : 'hex', start, start + (header % HEX));
    },
    set: (agent: number, password: string) => {
      const inHex = isHex(password);
      const bytes = Buffer.from(password, inHex ? 'hex' : 'utf8');
      const header = bytes.length + (inHex ? HEX : 0);
      const before = places[agent] as number;
      // A new password of the same length, which is usual for servers, overwrites the previous one.
      const stays = before !== 0 && headerAt(before) === header;
      const place = stays ? before : begin(HEADER_BYTES + bytes.length);
      const offset = place % PIECE_BYTES;
      pieceOf(place).writeUInt32LE(header, offset);
      bytes.copy(pieceOf(place), offset + HEADER_BYTES);
      places[agent] = place;
    },
  };
}

/** The form that servers issue: random bytes as lower-case digits. Stored as bytes, they take half the room. */
function isHex(password: string): boolean {
  return password.length % 2 === 0 && /^[\da-f]*$/.test(password);
}
