import { remembered } from '../../kernel/remembered.ts';
import { quote } from '../../protocol/go-json.ts';

const MOST = 50_000;

/** A text as JSON, and how long that is. The same few thousand texts stand in every shape of a profile. */
export const quoted = remembered(MOST, (text) => {
  const json = quote(text);
  return { json, bytes: Buffer.byteLength(json) };
});
