import { UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import { ENDPOINT_PATHS } from '../../base/protocol/push.ts';
import { createAddressBook } from '../address-book.ts';
import { createAddressNumbers } from '../addresses.ts';
import { createArrivalSorter, type Spill } from '../arrival-rows.ts';
import { KNOWN_FORMATS } from '../known-formats.ts';
import type { LogFormat } from '../log-format.ts';
import { createLogReader, emptyCounts, type LogCounts } from '../log-lines.ts';
import type { LoggedRequest } from '../logged-request.ts';
import { begun, unpacked } from './log-bytes.ts';

export type LogSource = {
  readonly name: string;
  readonly open: (note: (text: string) => void) => AsyncIterable<Uint8Array>;
};

/**
 * Reads logs, in any order. Memory does not grow with their length.
 * @param warn takes what is wrong with a file although it was read
 * @throws UserError if there is no request of an agent in them
 */
export async function readLogs(
  sources: readonly LogSource[],
  format: LogFormat,
  { spill, warn }: { readonly spill: Spill; readonly warn: (text: string) => void },
) {
  const book = createAddressBook();
  const arrivals = createArrivalSorter(spill, book.observe);
  const addresses = createAddressNumbers();
  const counts = emptyCounts();
  const beginnings = new Map<string, string>();
  const take = (request: LoggedRequest): void => {
    const { bytes, from, to } = request.client;
    arrivals.add(request, addresses.numberOf(bytes, from, to));
  };
  const readSource = async ({ name, open }: LogSource): Promise<void> => {
    const note = (text: string): void => warn(`${name} ${text}`);
    const pieces = begun(unpacked(name, open(note), note), BEGINNING_BYTES);
    const { value: first } = await pieces.next();
    if (first === undefined) {
      if (sources.length > 1) note('is empty');
      return;
    }
    const beginning = first.toString('latin1', 0, BEGINNING_BYTES);
    const other = beginnings.get(beginning);
    beginnings.set(beginning, name);
    if (other === undefined) {
      const reader = createLogReader(name, { format, counts, take });
      reader.push(first);
      for await (const piece of pieces) reader.push(piece);
      reader.end();
      arrivals.endFile();
    } else note(`begins like ${other} and was left out: a rotation makes such copies`);
    await pieces.return(undefined);
  };
  for (const source of sources) await readSource(source);
  arrivals.end();
  if (arrivals.count() > 0) return { counts, arrivals, book };
  const isBinary = [...beginnings.keys()].some((beginning) => beginning.includes('\0'));
  throw new UserError(
    `${sources.map(({ name }) => name).join(', ')}: ${fault(counts, isBinary, format === KNOWN_FORMATS)}`,
  );
}

/** Two files that begin with these bytes alike are copies, as while a rotation compresses one. */
const BEGINNING_BYTES = 4096;

/** Why there is no request of an agent. */
function fault({ lines, others, strange, firstStrange }: LogCounts, isBinary: boolean, isKnown: boolean): string {
  if (lines === 0) return 'expected an access log, found no line; check the path.';
  if (others > 0) {
    const paths = Object.values(ENDPOINT_PATHS).join(', ');
    return `expected requests of agents (POST ${paths}), found none in ${counted(others, 'other request')}; use the log of the server that agents push to.`;
  }
  if (isBinary) return 'expected an access log, found a binary file; check the path.';
  const [first] = firstStrange;
  const where = first === undefined ? '' : ` (line ${first.line}, ${first.why})`;
  const found = `found ${counted(strange, 'line')} of another form${where}`;
  return isKnown
    ? `expected an access log in nginx's combined or main format, Apache's combined, or JSON, ${found}; pass the server's log_format with --format.`
    : `expected lines of --format, ${found}; copy the whole format from the configuration of the server that wrote the log.`;
}
