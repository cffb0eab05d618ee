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
/** Stands before each password. */
const LENGTH_BYTES = 4;

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
  const lengthAt = (place: number): number => pieceOf(place).readUInt32LE(place % PIECE_BYTES);
  return {
    get: (agent) => {
      const place = places[agent] as number;
      if (place === 0) return '';
      const start = (place % PIECE_BYTES) + LENGTH_BYTES;
      return pieceOf(place).toString('utf8', start, start + lengthAt(place));
    },
    set: (agent, password) => {
      const sizeBytes = Buffer.byteLength(password);
      const before = places[agent] as number;
      // A new one as long as the one before, as servers issue them, takes its place.
      const stays = before !== 0 && lengthAt(before) === sizeBytes;
      const place = stays ? before : begin(LENGTH_BYTES + sizeBytes);
      const offset = place % PIECE_BYTES;
      pieceOf(place).writeUInt32LE(sizeBytes, offset);
      pieceOf(place).write(password, offset + LENGTH_BYTES, 'utf8');
      places[agent] = place;
    },
  };
}
