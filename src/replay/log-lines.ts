import type { LogFormat } from './log-format.ts';
import { emptyRequest, type LoggedRequest } from './logged-request.ts';

/** A line of a file, for messages. */
type LinePlace = { readonly file: string; readonly line: number };

/** What reading logs has shown, apart from the requests of agents. */
export type LogCounts = {
  lines: number;
  /** Lines of other requests. */
  others: number;
  /** Lines that are not understood. */
  strange: number;
  /** The first of them. */
  readonly firstStrange: (LinePlace & { readonly why: string })[];
  /** How often a time was earlier than that of the line before, by more than a second, and by how much at most. */
  stepsBack: number;
  longestStepUs: number;
  firstStep: LinePlace | undefined;
  /** Zones of the times, in minutes ahead of UTC, each with its first time; `undefined`: the times name none. */
  readonly zones: Map<number | undefined, number>;
  /** Whether some times have no fraction of a second, and some requests a response time or none. */
  hasWholeSeconds: boolean;
  hasDurations: boolean;
  lacksDurations: boolean;
};

export function emptyCounts(): LogCounts {
  return {
    lines: 0,
    others: 0,
    strange: 0,
    firstStrange: [],
    stepsBack: 0,
    longestStepUs: 0,
    firstStep: undefined,
    zones: new Map(),
    hasWholeSeconds: false,
    hasDurations: false,
    lacksDurations: false,
  };
}

/** Reads the bytes of one file, in pieces of any size. */
export type LogReader = {
  /** The bytes may be reused afterwards. */
  readonly push: (bytes: Buffer) => void;
  readonly end: () => void;
};

/** Longer lines are not kept. nginx's longest are a few times its header buffers. */
const MAX_LINE_BYTES = 262_144;
const SHOWN_LINES = 3;
const STEP_BACK_US = 1e6;

const [LINE_FEED, RETURN, NUL] = [10, 13, 0];
/** Of an editor that marks UTF-8. */
const MARK = Buffer.from('\uFEFF');

export function createLogReader(
  file: string,
  {
    format,
    counts,
    take,
  }: { readonly format: LogFormat; readonly counts: LogCounts; readonly take: (request: LoggedRequest) => void },
): LogReader {
  const request = emptyRequest();
  let line = 0;
  let latestUs = Number.NEGATIVE_INFINITY;
  const strange = (why: string): void => {
    counts.strange++;
    if (counts.firstStrange.length < SHOWN_LINES) counts.firstStrange.push({ file, line, why });
  };
  const noteTime = ({ atUs, zoneMinutes }: LoggedRequest): void => {
    if (!counts.zones.has(zoneMinutes)) counts.zones.set(zoneMinutes, atUs);
    const backUs = latestUs - atUs;
    latestUs = atUs;
    if (!(backUs > STEP_BACK_US)) return;
    counts.stepsBack++;
    counts.longestStepUs = Math.max(counts.longestStepUs, backUs);
    counts.firstStep ??= { file, line };
  };
  const takeRequest = (): void => {
    noteTime(request);
    if (request.endpoint < 0) {
      counts.others++;
      return;
    }
    if (request.isWholeSecond) counts.hasWholeSeconds = true;
    if (request.durationUs < 0) counts.lacksDurations = true;
    else counts.hasDurations = true;
    take(request);
  };
  const readLine = (bytes: Buffer, from: number, end: number): void => {
    line++;
    const at = startOf(bytes, from, end);
    const to = end > at && bytes[end - 1] === RETURN ? end - 1 : end;
    // An empty line says nothing.
    if (at === to && at === from) return;
    counts.lines++;
    if (format.read(bytes, at, to, request)) takeRequest();
    else strange(format.explain(bytes, at, to));
  };
  const skipLine = (): void => {
    line++;
    counts.lines++;
    strange(`expected at most ${MAX_LINE_BYTES} bytes`);
  };
  return createLineSplitter(readLine, skipLine);
}

/** @param skip is called for a line that is too long to be kept */
function createLineSplitter(read: (bytes: Buffer, from: number, to: number) => void, skip: () => void): LogReader {
  /** The beginning of a line whose end is in a later piece. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  const readBegun = (rest: Buffer): void => {
    if (begunBytes + rest.length > MAX_LINE_BYTES) skip();
    else read(Buffer.concat([...begun, rest]), 0, begunBytes + rest.length);
    begun = [];
    begunBytes = 0;
  };
  return {
    push: (bytes) => {
      let at = 0;
      for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, at)) {
        if (begunBytes > 0) readBegun(bytes.subarray(at, feed));
        else read(bytes, at, feed);
        at = feed + 1;
      }
      const rest = bytes.length - at;
      if (begunBytes <= MAX_LINE_BYTES && rest > 0) begun.push(Buffer.from(bytes.subarray(at)));
      begunBytes += rest;
    },
    end: () => {
      if (begunBytes > 0) readBegun(Buffer.alloc(0));
    },
  };
}

/** Where a line begins, after what is no part of it. */
function startOf(bytes: Buffer, from: number, end: number): number {
  let at = from;
  // A log that is cut while its server writes on begins with zeros.
  while (at < end && bytes[at] === NUL) at++;
  if (bytes[at] === MARK[0] && MARK.equals(bytes.subarray(at, at + MARK.length))) at += MARK.length;
  return at;
}
