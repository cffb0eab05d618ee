import { z } from 'zod';
import type { HostAnswer } from './schemas.ts';

/** Figures for charts from a host's check data. */
type HostFigures = Omit<HostAnswer['rows'][number], 'at' | 'isUp'>;

const NOTHING = {
  ...{ cpuPercent: null, memoryPercent: null, swapPercent: null, load1: null, processes: null },
  ...{ receivedBytesPerSecond: null, sentBytesPerSecond: null },
};

export const HOST_DOWN: HostFigures = { ...NOTHING, disks: [] };

const percent = z.object({ percent: z.number() });
const disk = z.object({ disk: z.object({ mountpoint: z.string() }), usage: percent });
const traffic = z.object({ name: z.string(), avg_bytes_recv_ps: z.number(), avg_bytes_sent_ps: z.number() });

/** Omits checks that failed or are switched off. */
const checkdata = z.object({
  cpu: z.object({ cpu_total_percentage: z.number() }).optional().catch(undefined),
  memory: percent.optional().catch(undefined),
  swap: percent.optional().catch(undefined),
  system_load: z.object({ 0: z.number() }).optional().catch(undefined),
  processes: z.array(z.unknown()).optional().catch(undefined),
  net_io: z.record(z.string(), traffic).optional().catch(undefined),
  disks: z.array(disk).optional().catch(undefined),
});

const LOOPBACK = /^lo\d*$|^loopback/i;

/** @param document check data as an agent sends them. */
export function hostFigures(document: unknown): HostFigures {
  const { cpu, memory, swap, system_load, processes, net_io, disks = [] } = checkdata.parse(document);
  const interfaces = net_io && Object.values(net_io).filter(({ name }) => !LOOPBACK.test(name));
  const sum = (of: (one: z.output<typeof traffic>) => number) =>
    interfaces?.reduce((all, one) => all + of(one), 0) ?? null;
  return {
    cpuPercent: cpu?.cpu_total_percentage ?? null,
    memoryPercent: memory?.percent ?? null,
    swapPercent: swap?.percent ?? null,
    load1: system_load?.[0] ?? null,
    processes: processes?.length ?? null,
    receivedBytesPerSecond: sum(({ avg_bytes_recv_ps }) => avg_bytes_recv_ps),
    sentBytesPerSecond: sum(({ avg_bytes_sent_ps }) => avg_bytes_sent_ps),
    disks: disks.map(({ disk: { mountpoint }, usage }) => ({ mountpoint, percent: usage.percent })),
  };
}
