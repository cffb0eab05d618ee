/**
 * Passwords of many agents, by their numbers, in pieces of memory: as texts each would be an object that the garbage
 * collector looks at, again and again. Plain data that crosses threads.
 */
export type PackedPasswords = {
  /** By agent: the number of the piece times `PIECE_BYTES`, plus the place in it; 0: no password. */
  readonly places: Uint32Array;
  readonly pieces: Uint8Array[];
};

export type Passwords = {
  /** Empty: none. */
  get(agent: number): string;
  set(agent: number, password: string): void;
};

const PIECE_BYTES = 1 << 20;
// No password stands at the very beginning, so that a place of 0 means none.
const FIRST_PLACE = 1;
/** Stands before each password: how many bytes it takes, and `HEX` if they are what its hexadecimal digits stand for. */
const HEADER_BYTES = 4;
const HEX = 2 ** 31;

export function noPasswords(agents: number): PackedPasswords {
  return { places: new Uint32Array(agents), pieces: [] };
}

/** Reads and writes them where they are. */
export function passwordsIn({ places, pieces }: PackedPasswords): Passwords {
  const buffers = pieces.map(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length));
  // As if the last piece were full.
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
    get: (agent) => {
      const place = places[agent] as number;
      if (place === 0) return '';
      const header = headerAt(place);
      const start = (place % PIECE_BYTES) + HEADER_BYTES;
      return pieceOf(place).toString(header < HEX ? 'utf8' : 'hex', start, start + (header % HEX));
    },
    set: (agent, password) => {
      const inHex = isHex(password);
      const bytes = Buffer.from(password, inHex ? 'hex' : 'utf8');
      const header = bytes.length + (inHex ? HEX : 0);
      const before = places[agent] as number;
      // A new one as long as the one before, as servers issue them, takes its place.
      const stays = before !== 0 && headerAt(before) === header;
      const place = stays ? before : begin(HEADER_BYTES + bytes.length);
      const offset = place % PIECE_BYTES;
      pieceOf(place).writeUInt32LE(header, offset);
      bytes.copy(pieceOf(place), offset + HEADER_BYTES);
      places[agent] = place;
    },
  };
}

/** What servers issue: random bytes in lower-case digits, which take half the room as bytes. */
function isHex(password: string): boolean {
  return password.length % 2 === 0 && /^[\da-f]*$/.test(password);
}
