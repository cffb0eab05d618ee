const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/** The last `width` (at most 8) hexadecimal digits of a whole number below 2^32; returns the offset after them. */
export function writeHex(out: DataView, at: number, value: number, width: number): number {
  let rest = value;
  for (let place = at + width - 1; place >= at; place--) {
    out.setUint8(place, DIGITS[rest & 15] as number);
    rest >>>= 4;
  }
  return at + width;
}
