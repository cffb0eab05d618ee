import { emptyColumns, FAILED_TO_REGISTER, FIRST_REGISTERS, gapSumIndex, grownColumns } from './address-columns.ts';
import { type AgentNumbers, numberAgents } from './agents.ts';
import { addressIn, answerIn, isRegistered, operationIn, ROW_NUMBERS } from './arrival-rows.ts';

/** Learns from sorted rows, in any order of the runs, how many agents there are behind each address. */
export function createAddressBook() {
  const cadence = createCadenceFinder();
  let columns = emptyColumns(4096);
  let addresses = 0;

  const noteRegistration = (address: number, isNew: boolean): void => {
    const { registered, flags } = columns;
    if (isNew) registered[address] = (registered[address] as number) + 1;
    else flags[address] = (flags[address] as number) | FAILED_TO_REGISTER;
  };
  const noteGap = (address: number, atUs: number): void => {
    const { lastUs, gaps, gapSumsUs } = columns;
    const gapUs = atUs - (lastUs[address] as number);
    lastUs[address] = atUs;
    cadence.take(atUs, gapUs);
    if (!(gapUs >= 0)) return;
    gaps[address] = (gaps[address] as number) + 1;
    const index = gapSumIndex(address, gapUs);
    gapSumsUs[index] = (gapSumsUs[index] as number) + gapUs;
  };
  const observeRow = (atUs: number, tag: number): void => {
    const address = addressIn(tag);
    const answer = answerIn(tag);
    const operation = operationIn(answer);
    const isNew = operation === 'register' && isRegistered(answer);
    while (address >= columns.flags.length) columns = grownColumns(columns);
    addresses = Math.max(addresses, address + 1);
    if (operation === 'register') noteRegistration(address, isNew);
    const { firstUs, flags } = columns;
    if (atUs < (firstUs[address] as number)) {
      firstUs[address] = atUs;
      const failed = (flags[address] as number) & FAILED_TO_REGISTER;
      flags[address] = failed | (operation === 'register' ? FIRST_REGISTERS : 0);
    }
    // In each interval, an agent pushes check data, or registers in vain.
    if (operation === 'checkdata' || (operation === 'register' && !isNew)) noteGap(address, atUs);
  };
  return {
    observe: (rows: Float64Array): void => {
      for (let at = 0; at < rows.length; at += ROW_NUMBERS) observeRow(rows[at] as number, rows[at + 1] as number);
    },
    /** @param agents the size of the fleet if the user knows it */
    numbers: (agents: number | undefined): AgentNumbers =>
      numberAgents(columns, { addresses, cadenceSeconds: cadence.seconds(), agents }),
  };
}

/** Seconds of the log in which the counts of requests are compared with each other. */
const WINDOW_SECONDS = 8192;
const MAX_SECONDS = 3600;
/** Gaps between requests of an address are counted in bins, each this much wider than the one before. */
const BIN_RATIO = 1.05;
const BINS = 240;

/** Finds the interval at which agents send. */
function createCadenceFinder() {
  const counts = new Float64Array(WINDOW_SECONDS);
  const gaps = new Float64Array(BINS);
  let firstSecond = Number.NaN;
  let lastSecond = 0;
  return {
    /** Takes a request that an agent sends once in each interval, and the time since the one before from its address; NaN: the first. */
    take: (atUs: number, gapUs: number): void => {
      const second = Math.floor(atUs / 1e6);
      if (Number.isNaN(firstSecond)) firstSecond = second;
      const index = second - firstSecond;
      if (index >= 0 && index < WINDOW_SECONDS) {
        counts[index] = (counts[index] as number) + 1;
        if (index > lastSecond) lastSecond = index;
      }
      if (!(gapUs >= 0)) return;
      const bin = Math.min(BINS - 1, Math.max(0, Math.round(Math.log(gapUs / 1e6) / Math.log(BIN_RATIO))));
      gaps[bin] = (gaps[bin] as number) + 1;
    },
    /** The interval in seconds; `undefined` if the log shows none. */
    seconds: (): number | undefined => repetition(counts.subarray(0, lastSecond + 1)) ?? commonGap(gaps),
  };
}

/**
 * The shortest time after which the counts of seconds repeat: agents keep their places in the interval, however many share an address.
 * Differences of counts are compared, so that outages and slow changes of the level do not look like a repetition.
 */
function repetition(counts: Float64Array): number | undefined {
  const changes = counts.subarray(1).map((count, index) => count - (counts[index] as number));
  const power = changes.reduce((sum, change) => sum + change * change, 0);
  const longest = Math.min(MAX_SECONDS, Math.floor(changes.length / 2));
  const alike = (lag: number): number => {
    let sum = 0;
    for (let at = lag; at < changes.length; at++) sum += (changes[at] as number) * (changes[at - lag] as number);
    return (sum / power) * (changes.length / (changes.length - lag));
  };
  const likeness = Float64Array.from({ length: longest + 1 }, (_, lag) => (lag < 2 ? 0 : alike(lag)));
  const most = likeness.reduce((one, other) => Math.max(one, other), 0);
  if (!(most >= LIKE)) return undefined;
  return likeness.findIndex((value) => value >= NEARLY * most);
}

const LIKE = 0.4;
const NEARLY = 0.9;

/** The gap that is common among addresses, as it is if most have one agent. The first bin has all shorter gaps. */
function commonGap(gaps: Float64Array): number | undefined {
  const total = gaps.reduce((sum, count) => sum + count, 0);
  let best = 0;
  let most = 0;
  for (let bin = 2; bin < BINS - 1; bin++) {
    const near = (gaps[bin - 1] as number) + (gaps[bin] as number) + (gaps[bin + 1] as number);
    if (near > most) [best, most] = [bin, near];
  }
  return most >= COMMON * total && total > 0 ? BIN_RATIO ** best : undefined;
}

const COMMON = 0.3;
