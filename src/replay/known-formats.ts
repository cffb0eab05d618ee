import { JSON_LINES } from './json-lines.ts';
import { addressLength } from './log-fields.ts';
import { compileFormat, explainable, type LogFormat } from './log-format.ts';
import { failAt } from './logged-request.ts';

/** nginx's combined and main, and Apache's common and combined, which continue each other. */
const TEXT = '$remote_addr $ident $remote_user [$time_local] "$request" $status';
const MORE = ' $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for"';

const PLAIN = compileFormat(TEXT, MORE);
/** Apache's vhost_combined. */
const WITH_HOST = compileFormat(`$host ${TEXT}`, MORE);

const [SPACE, DASH, BRACE] = [32, 45, 123];

/** A client is followed by a dash, or by a name if it is an address; other lines begin otherwise, as with what syslog adds. */
const TEXT_LINES = explainable((bytes, from, to, request) => {
  const second = afterWord(bytes, from, to);
  const third = afterWord(bytes, second, to);
  if (second < to && isClient(bytes, from, second)) return PLAIN.read(bytes, from, to, request);
  if (third < to && isClient(bytes, second, third)) return WITH_HOST.read(bytes, from, to, request);
  return failAt(request, '$remote_addr', from);
});

function isClient(bytes: Buffer, from: number, next: number): boolean {
  return (
    (bytes[next] === DASH && bytes[next + 1] === SPACE) || addressLength(bytes, from, next - 1) === next - 1 - from
  );
}

function afterWord(bytes: Buffer, from: number, to: number): number {
  let index = from;
  while (index < to && bytes[index] !== SPACE) index++;
  return index + 1;
}

/** The formats that web servers have without configuration, and JSON. Each line may have another. */
export const KNOWN_FORMATS: LogFormat = {
  read: (bytes, from, to, request) => formatOf(bytes, from).read(bytes, from, to, request),
  explain: (bytes, from, to) => formatOf(bytes, from).explain(bytes, from, to),
};

function formatOf(bytes: Buffer, from: number): LogFormat {
  return bytes[from] === BRACE ? JSON_LINES : TEXT_LINES;
}
