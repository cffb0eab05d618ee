/** What is known of each address. */
export type AddressColumns = {
  readonly firstUs: Float64Array;
  readonly lastUs: Float64Array;
  /** Gaps between requests that an agent sends once in each interval, and their sums by length, in `OCTAVES` classes for each address. */
  readonly gaps: Uint32Array;
  readonly gapSumsUs: Float64Array;
  readonly registered: Uint32Array;
  /** Bits: the first request was a registration; there was one that failed. */
  readonly flags: Uint8Array;
};

export const FIRST_REGISTERS = 1;
export const FAILED_TO_REGISTER = 2;
/** The first class has gaps below 16 seconds; each other one is twice as wide as the one before. */
const OCTAVES = 8;
const FIRST_OCTAVE_US = 16e6;
/** Longer gaps, in intervals, are outages. */
const OUTAGE = 2;
/** Fewer gaps show nothing. */
const ENOUGH_GAPS = 4;

export function emptyColumns(size: number): AddressColumns {
  return {
    firstUs: new Float64Array(size).fill(Number.POSITIVE_INFINITY),
    lastUs: new Float64Array(size).fill(Number.NaN),
    gaps: new Uint32Array(size),
    gapSumsUs: new Float64Array(size * OCTAVES),
    registered: new Uint32Array(size),
    flags: new Uint8Array(size),
  };
}

export function grownColumns(old: AddressColumns): AddressColumns {
  const more = emptyColumns(old.flags.length * 2);
  for (const name of Object.keys(old) as (keyof AddressColumns)[]) more[name].set(old[name]);
  return more;
}

/** Where the sum of gaps of this length is, in `gapSumsUs`. */
export function gapSumIndex(address: number, gapUs: number): number {
  const octave = gapUs <= FIRST_OCTAVE_US ? 0 : Math.ceil(Math.log2(gapUs / FIRST_OCTAVE_US));
  return address * OCTAVES + Math.min(OCTAVES - 1, octave);
}

/** Agents of an address that the log introduces, and others; `atOnce`: how many of them the interval shows. */
export type AgentEstimate = {
  readonly introduced: number;
  readonly known: number;
  readonly atOnce: number | undefined;
};

/** Returns a function that estimates the agents of an address, from the interval at which agents send. */
export function agentEstimates(
  { gaps, gapSumsUs, registered, flags }: AddressColumns,
  cadenceSeconds: number | undefined,
) {
  const intervalUs = (cadenceSeconds ?? Number.NaN) * 1e6;
  const octaves = Math.max(1, Math.ceil(Math.log2((OUTAGE * intervalUs) / FIRST_OCTAVE_US)) + 1);
  const atOnceOf = (address: number): number | undefined => {
    const count = gaps[address] as number;
    if (cadenceSeconds === undefined || count < ENOUGH_GAPS) return undefined;
    const sums = gapSumsUs.subarray(address * OCTAVES, address * OCTAVES + Math.min(OCTAVES, octaves));
    return Math.max(1, Math.round((intervalUs * count) / sums.reduce((sum, one) => sum + one, 0)));
  };
  return (address: number): AgentEstimate => {
    const atOnce = atOnceOf(address);
    const flag = flags[address] as number;
    const isFirst = (flag & FIRST_REGISTERS) !== 0;
    const inVain = isFirst ? (atOnce ?? 1) : flag & FAILED_TO_REGISTER ? 1 : 0;
    const introduced = (registered[address] as number) || inVain;
    return { introduced, known: isFirst ? 0 : Math.max(1, (atOnce ?? 1) - introduced), atOnce };
  };
}
