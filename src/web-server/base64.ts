const OUTSIDE_ALPHABET = /[^A-Za-z0-9+/]/;
const LINE_ENDS = /[\r\n]/g;

/**
 * The bytes of padded standard base64; carriage returns and line feeds in it are ignored, anything else that does not
 * belong there makes it none: undefined. Node's own decoder takes nearly everything.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const packed = text.replace(LINE_ENDS, '');
  const end = packed.search(OUTSIDE_ALPHABET);
  const padding = end < 0 ? '' : packed.slice(end);
  const isWhole = packed.length % 4 === 0 && (padding === '' || padding === '=' || padding === '==');
  return isWhole ? Buffer.from(packed, 'base64') : undefined;
}
