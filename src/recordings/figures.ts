import { isMembers, type JsonMembers } from './document-texts.ts';

/*
 * Finds figures that no host can have, although they are numbers: documents of hosts modeled on them could not be written. Agents
 * do not send such figures, but an edited file may contain them.
 */

export type StrangeFigure = { readonly place: readonly (string | number)[]; readonly expected: string };

type Rule = { readonly names: RegExp; readonly least: number; readonly most: number; readonly expected: string };

const RULES: readonly Rule[] = [
  { names: /^last_updated_timestamp$/, least: 1, most: 4e9, expected: 'seconds since 1970' },
  { names: /^LastUpdate$/, least: 0, most: 4e9, expected: 'seconds since 1970' },
  { names: /^(pid|ppid|Pid)$/, least: 0, most: 2 ** 32 - 1, expected: 'a PID' },
  { names: /AvgWait$/, least: 0, most: 1e9, expected: 'milliseconds, at most 1000000000' },
  // Counters, and averages over a counter that fell.
  {
    names:
      /^(avg_|Timestamp_|PercentDiskTime|AvgDisk|Frequency_|bytes_|packets_|err|drop|Read|Write|Total|IoTime|Disk)/,
    least: 0,
    most: 2 ** 64,
    expected: 'a 64-bit number',
  },
];
const USUAL: Omit<Rule, 'names'> = { least: -(2 ** 53), most: 2 ** 53, expected: 'a number between -2^53 and 2^53' };

const SYSTEMS = ['linux', 'windows', 'darwin'];

/** The first figure of a well-formed document that no host can have. */
export function strangeFigure(document: JsonMembers): StrangeFigure | undefined {
  const { agent, cpu, memory } = document as Readonly<Record<string, JsonMembers | undefined>>;
  if (agent !== undefined && !SYSTEMS.includes(String(agent.goos))) {
    return { place: ['agent', 'goos'], expected: SYSTEMS.join(' or ') };
  }
  if (Array.isArray(cpu?.cpu_percentage) && cpu.cpu_percentage.length === 0) {
    return { place: ['cpu', 'cpu_percentage'], expected: 'one value per core' };
  }
  const empty = ['total', 'used'].find((name) => memory?.[name] === 0);
  if (empty !== undefined) return { place: ['memory', empty], expected: 'a number of bytes above 0' };
  return strangeIn(document, []) ?? strangeCounter(document) ?? strangeUse(document) ?? strangeProcess(document);
}

/** Nothing is used beyond its total, and no share exceeds the whole. */
function strangeUse({ cpu, memory, swap, disks }: JsonMembers): StrangeFigure | undefined {
  const usages = Array.isArray(disks)
    ? (disks as readonly { readonly usage: JsonMembers }[]).map(({ usage }) => usage)
    : [];
  const all = [
    { place: ['memory'], value: memory },
    { place: ['swap'], value: swap },
    ...usages.map((value, index) => ({ place: ['disks', index, 'usage'], value })),
  ].flatMap(({ place, value }) => (isMembers(value) ? [{ place, ...value } as Use] : []));
  const found = all.find(({ used = 0, total = Number.POSITIVE_INFINITY }) => used > total);
  if (found !== undefined) return { place: [...found.place, 'used'], expected: `at most the total, ${found.total}` };
  const full = all.find(({ percent = 0 }) => percent < 0 || percent > MOST_PERCENT);
  if (full !== undefined) return { place: [...full.place, 'percent'], expected: 'a percentage' };
  const busy = isMembers(cpu) ? Number(cpu.cpu_total_percentage ?? 0) : 0;
  return busy > MOST_PERCENT ? { place: ['cpu', 'cpu_total_percentage'], expected: 'a percentage' } : undefined;
}

type Use = { readonly place: StrangeFigure['place'] } & Partial<Readonly<Record<'used' | 'total' | 'percent', number>>>;
/** Rounding adds a little. */
const MOST_PERCENT = 100.5;

/** Each process has its own PID, and only the system itself, with PID 0, is its own parent. */
function strangeProcess({ processes }: JsonMembers): StrangeFigure | undefined {
  const pids = new Set<number>();
  for (const [index, { pid, ppid }] of (Array.isArray(processes)
    ? (processes as readonly Identified[])
    : []
  ).entries()) {
    if (pids.has(pid)) return { place: ['processes', index, 'pid'], expected: 'a PID that no other process has' };
    if (pid === ppid && pid !== 0)
      return { place: ['processes', index, 'ppid'], expected: 'the PID of another process' };
    pids.add(pid);
  }
  return undefined;
}

type Identified = { readonly pid: number; readonly ppid: number };

/** Highest rates of a network card or disk. Rates may be higher shortly after a boot, so uptime counts as at least `LEAST_SECONDS`. */
const MOST_PER_SECOND = [
  { names: /^(packets_|err|drop|ReadCount$|WriteCount$|DiskReadsPerSec$|DiskWritesPerSec$)/, most: 1e9 },
  { names: /^(bytes_|ReadBytes$|WriteBytes$|ReadTime$|WriteTime$|IoTime$|Disk(Read|Write)Bytes)/, most: 1e11 },
];
const LEAST_SECONDS = 600;

function strangeCounter(document: JsonMembers): StrangeFigure | undefined {
  const { agent, disk_io, net_io } = document as Readonly<Record<string, JsonMembers | undefined>>;
  const seconds = Math.max(LEAST_SECONDS, Number(agent?.system_uptime ?? 0));
  const counters = Object.entries({ disk_io, net_io }).flatMap(([check, devices]) =>
    Object.entries(devices ?? {}).flatMap(([device, members]) =>
      Object.entries(members as JsonMembers).map(([name, sum]) => ({
        place: [check, device, name],
        name,
        sum: Number(sum),
      })),
    ),
  );
  for (const { names, most } of MOST_PER_SECOND) {
    const found = counters.find(({ name, sum }) => names.test(name) && sum > most * seconds);
    if (found !== undefined) return { place: found.place, expected: `at most ${most} per second of uptime` };
  }
  return undefined;
}

/** @param place where the value is; one list for all values, because copies would grow with the square of their depth */
function strangeIn(value: unknown, place: (string | number)[]): StrangeFigure | undefined {
  if (typeof value === 'number') {
    const name = String(place.findLast((step) => typeof step === 'string'));
    const { least, most, expected } = RULES.find(({ names }) => names.test(name)) ?? USUAL;
    return value >= least && value <= most ? undefined : { place: [...place], expected };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    place.push(Array.isArray(value) ? Number(name) : name);
    const found = strangeIn(member, place);
    if (found !== undefined) return found;
    place.pop();
  }
  return undefined;
}
