import { emptyTraceRow, MAX_ROW_BYTES, serializeTraceHeader, writeTraceRow } from '../load/traces/row.ts';
import type { AgentNumbers } from './agents.ts';
import { type ArrivalSorter, answerIn, operationIn, ROW_NUMBERS, sizeClassIn, statusIn } from './arrival-rows.ts';
import type { LoadObserver } from './logged-load.ts';

/** Written together. */
const PIECE_BYTES = 262_144;

/**
 * The bytes of the trace, in pieces that are valid until the next one. Its time zero is the whole second of the first arrival, so that its seconds are those of the log.
 * @param observer gets each arrival
 */
export function* traceBytes(
  arrivals: ArrivalSorter,
  { agents, agentOf }: AgentNumbers,
  observer: LoadObserver,
): Generator<Buffer, number> {
  const row = emptyTraceRow();
  let startUs = Number.NaN;
  const bytes = Buffer.allocUnsafe(PIECE_BYTES);
  let end = 0;
  for (const piece of arrivals.sorted()) {
    if (Number.isNaN(startUs)) {
      startUs = Math.floor((piece[0] as number) / 1e6) * 1e6;
      end = bytes.write(serializeTraceHeader({ agents, start: new Date(startUs / 1000).toISOString() }));
    }
    for (let at = 0; at < piece.length; at += ROW_NUMBERS) {
      const tag = piece[at + 1] as number;
      const durationUs = piece[at + 2] as number;
      row.atUs = (piece[at] as number) - startUs;
      const answer = answerIn(tag);
      row.operation = operationIn(answer);
      row.agent = agentOf(tag);
      row.sizeClass = sizeClassIn(answer);
      row.status = statusIn(answer);
      row.responseMs = durationUs < 0 ? -1 : durationUs / 1000;
      observer.take(row.atUs, answer, durationUs);
      end = writeTraceRow(row, bytes, end);
      if (end + MAX_ROW_BYTES > PIECE_BYTES) {
        yield bytes.subarray(0, end);
        end = 0;
      }
    }
  }
  yield bytes.subarray(0, end);
  return startUs;
}
