import { type CheckData, readField, type Span } from '../json/envelope.ts';
import { readMembers } from '../json/members.ts';
import { isObjectAt, skipValue } from '../json/scan.ts';

/** A check run's date is `2026-01-31 15:04:05.123456789 +0100 …`: offsets are whole minutes, so the fraction is absolute. */
const FRACTION = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,9})? /;

/** Unix ms, with fractions, at which the check run of this document began; undefined if it does not say. */
export function checkdataInstantMs(body: Buffer, { members }: CheckData): number | undefined {
  const agent = members.get('agent');
  if (agent === undefined || !isObjectAt(body, agent.start)) return undefined;
  let text: unknown;
  let seconds: unknown;
  readMembers(body, agent.start, (name, start) => {
    const end = skipValue(body, start, 0);
    if (name === 'last_updated') text = readField(body, { start, end });
    if (name === 'last_updated_timestamp') seconds = readField(body, { start, end });
    // The two stand first: the rest of the check need not be read.
    return text !== undefined && seconds !== undefined ? -1 : end;
  });
  if (typeof seconds !== 'number') return undefined;
  const fraction = typeof text === 'string' ? FRACTION.exec(text)?.[1] : undefined;
  return plausible((seconds + Number(fraction ?? 0)) * 1000);
}

/** Unix ms of the package collection; undefined if the document does not say. */
export function packagesInstantMs(body: Buffer, { members }: CheckData): number | undefined {
  const collected: Span | undefined = members.get('LastUpdate');
  const seconds = collected === undefined ? undefined : readField(body, collected);
  return typeof seconds === 'number' && seconds > 0 ? plausible(seconds * 1000) : undefined;
}

/** The last instant of the year 9999. */
const LATEST_MS = 253_402_300_799_999;

/** A number that is no date counts as none: a single one would spoil sums and averages for ever. */
function plausible(instantMs: number): number | undefined {
  return instantMs >= 0 && instantMs <= LATEST_MS ? instantMs : undefined;
}
