import { readdirSync, readFileSync } from 'node:fs';

/** Resources that a process and its descendants have used so far. CPU time includes descendants that have ended and were reaped. */
export type Account = { readonly cpuSeconds: number; readonly rssBytes: number; readonly peakBytes: number };

type Entry = Account & { readonly pid: number; readonly parent: number };

// Times in /proc are in hundredths of a second on every Linux that Node supports.
const TICKS_PER_SECOND = 100;

/** As counted by the kernel; zeros if the process has ended. */
export function accountOf(pid: number): Account {
  const entries = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? entryOf(Number(name)) : []));
  const tree = new Set([pid]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const entry of entries) if (tree.has(entry.parent)) tree.add(entry.pid);
  }
  const sum = (figure: keyof Account) =>
    entries.reduce((all, entry) => (tree.has(entry.pid) ? all + entry[figure] : all), 0);
  return { cpuSeconds: sum('cpuSeconds'), rssBytes: sum('rssBytes'), peakBytes: sum('peakBytes') };
}

function entryOf(pid: number): Entry | [] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((all, value) => all + Number(value), 0);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytes = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
    const cpuSeconds = ticks / TICKS_PER_SECOND;
    return { pid, parent: Number(fields[1]), cpuSeconds, rssBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') };
  } catch {
    // The process has just ended.
    return [];
  }
}
