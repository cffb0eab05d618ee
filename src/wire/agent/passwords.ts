/**
 * Passwords of many agents, by number, in large pieces of memory. As strings, each would be an object that the garbage collector visits
 * again and again. Plain data that can be sent to other threads.
 */
export type PackedPasswords = {
  /** By agent: number of the piece × `PIECE_BYTES` + offset in the piece; 0: no password. */
  readonly positions: Uint32Array;
  readonly pieces: Uint8Array[];
};

const PIECE_BYTES = 1 << 20;
// Offset 0 is not used, because a position of 0 means no password.
const FIRST_OFFSET = 1;
/** Precedes each password: its length in bytes, plus `HEX` if the bytes stand for hexadecimal digits. */
const HEADER_BYTES = 4;
const HEX = 2 ** 31;

export function noPasswords(agents: number): PackedPasswords {
  return { positions: new Uint32Array(agents), pieces: [] };
}

/** Reads and writes passwords in place. */
export function passwordsIn({ positions, pieces }: PackedPasswords) {
  const buffers = pieces.map(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length));
  // The used size of the last piece is not stored, so the next password starts a new piece.
  let end = PIECE_BYTES;
  const begin = (sizeBytes: number): number => {
    if (end + sizeBytes > PIECE_BYTES) {
      const piece = Buffer.alloc(Math.max(PIECE_BYTES, FIRST_OFFSET + sizeBytes));
      buffers.push(piece);
      pieces.push(piece);
      end = FIRST_OFFSET;
    }
    const position = (buffers.length - 1) * PIECE_BYTES + end;
    end += sizeBytes;
    return position;
  };
  const pieceOf = (position: number): Buffer => buffers[Math.floor(position / PIECE_BYTES)] as Buffer;
  const headerAt = (position: number): number => pieceOf(position).readUInt32LE(position % PIECE_BYTES);
  return {
    /** Empty if there is none. */
    get: (agent: number): string => {
      const position = positions[agent] as number;
      if (position === 0) return '';
      const header = headerAt(position);
      const start = (position % PIECE_BYTES) + HEADER_BYTES;
      return pieceOf(position).toString(header < HEX ? 'utf8' : 'hex', start, start + (header % HEX));
    },
    set: (agent: number, password: string) => {
      const inHex = isHex(password);
      const bytes = Buffer.from(password, inHex ? 'hex' : 'utf8');
      const header = bytes.length + (inHex ? HEX : 0);
      const before = positions[agent] as number;
      // A new password of the same length, which is usual for servers, overwrites the previous one.
      const stays = before !== 0 && headerAt(before) === header;
      const position = stays ? before : begin(HEADER_BYTES + bytes.length);
      const offset = position % PIECE_BYTES;
      pieceOf(position).writeUInt32LE(header, offset);
      bytes.copy(pieceOf(position), offset + HEADER_BYTES);
      positions[agent] = position;
    },
  };
}

/** The form that servers issue: random bytes as lower-case digits. Stored as bytes, they take half the room. */
function isHex(password: string): boolean {
  return password.length % 2 === 0 && /^[\da-f]*$/.test(password);
}
