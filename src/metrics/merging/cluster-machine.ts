import { z } from 'zod';

const milliseconds = z.number().nonnegative();
const count = z.int().nonnegative();

export const machineSchema = z.strictObject({
  cores: z.int().positive(),
  loadAverage: z.number().nonnegative().describe('of the last minute, at the end of the run'),
  otherCores: z.number().nonnegative().optional().describe('cores that other processes used on average'),
  stealShare: z.number().nonnegative().optional().describe('time the hypervisor gave to others, 0 to 1'),
});

/** Load of the machine during a run, without the generator; figures that the machine does not report are `undefined`. */
export type MachineLoad = z.infer<typeof machineSchema>;

/** Returns the machine whose other processes used most CPU, which may explain late arrivals. */
export function busiestMachine(machines: readonly MachineLoad[]): MachineLoad | undefined {
  return machines.toSorted((a, b) => (b.otherCores ?? 0) - (a.otherCores ?? 0) || b.loadAverage - a.loadAverage)[0];
}

const machineFiguresSchema = z
  .strictObject({
    startedPerSecond: z.number().nonnegative().describe('operations started'),
    schedulingDelayP99Ms: milliseconds.optional().describe('from due time to pick-up; absent without arrivals'),
    stalledMs: milliseconds.describe('longest single stall of any of its workers'),
    busiestLoopUtilization: z.number().nonnegative().describe('mean of the busiest worker of each second, 0 to 1'),
    usedCores: z.number().nonnegative().describe('cores that its workers used on average'),
  })
  .describe('how it kept up, over all seconds that it reported');

/** One of several machines that ran a fleet together. */
export const clusterMachineSchema = z.strictObject({
  name: z.string(),
  part: z.int().positive().describe('of the fleet, from 1'),
  agents: count,
  workers: count,
  clockOffsetMs: z
    .number()
    .optional()
    .describe('offset of its clock from that of the coordinator at the start; absent without one'),
  clockErrorMs: milliseconds.optional().describe('error bound of the offset: half the round trip of its measurement'),
  natsMs: milliseconds.optional().describe('last round trip between it and NATS'),
  fromMs: milliseconds.describe('when it started its part, on the timeline of the run'),
  toMs: milliseconds.optional().describe('when it last responded; absent unless it was lost'),
  figures: machineFiguresSchema.optional(),
  load: machineSchema.optional().describe('how busy it was otherwise; absent if it did not run to the end'),
});

export type ClusterMachine = Readonly<z.infer<typeof clusterMachineSchema>>;
