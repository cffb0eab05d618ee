/** What distinguishes a machine from others that have its name or UUID. */
export type MachineTraits = {
  /** 0 if it is not known. */
  readonly instantSeconds: number;
  readonly uptimeSeconds: number;
  /** Cores and memory; empty for package information. */
  readonly hardware: readonly string[];
  /** Bytes by card. They only grow until the machine boots. */
  readonly counters: ReadonlyMap<string, number>;
};

/** Clocks are set while machines run, and an agent reads them at different times. */
const TOLERANCE_SECONDS = 60;
const MAX_REMEMBERED = 100;

/** Returns the number of a machine among those with one name or UUID, from 0; the next one if it is none that was seen before. */
export type MachineNumbering = (seen: MachineTraits) => number;

export function createMachineNumbering(): MachineNumbering {
  const machines: MachineTraits[][] = [];
  return (seen) => {
    const isBootOf = (one: readonly MachineTraits[]) => one.some((other) => isSameBoot(other, seen));
    if (seen.hardware.length === 0) return Math.max(0, machines.findIndex(isBootOf));
    const possible = machines.filter((one) => isPossible(one, seen));
    const machine = possible.find(isBootOf) ?? possible[0] ?? [];
    if (machine.length === 0) machines.push(machine);
    machine.push(seen);
    machine.sort((a, b) => a.instantSeconds - b.instantSeconds);
    if (machine.length > MAX_REMEMBERED) machine.shift();
    return machines.indexOf(machine);
  };
}

/** Returns whether a machine can have been seen before and after as it was. */
function isPossible(machine: readonly MachineTraits[], seen: MachineTraits): boolean {
  const before = machine.findLast((one) => one.instantSeconds <= seen.instantSeconds);
  const after = machine.find((one) => one.instantSeconds > seen.instantSeconds);
  return (before === undefined || continues(before, seen)) && (after === undefined || continues(seen, after));
}

function continues(before: MachineTraits, after: MachineTraits): boolean {
  if (!before.hardware.some((part, index) => part === after.hardware[index])) return false;
  const isTimeKnown = before.instantSeconds > 0 && after.instantSeconds > 0;
  if (!isTimeKnown || bootOf(after) >= before.instantSeconds - TOLERANCE_SECONDS) return true;
  // While some systems sleep, their uptime does not grow.
  const hasSlept = bootOf(after) > bootOf(before) && after.uptimeSeconds >= before.uptimeSeconds;
  return (isSameBoot(before, after) || hasSlept) && !hasFallen(before, after);
}

function bootOf({ instantSeconds, uptimeSeconds }: MachineTraits): number {
  return instantSeconds - uptimeSeconds;
}

function isSameBoot(one: MachineTraits, other: MachineTraits): boolean {
  return Math.abs(bootOf(one) - bootOf(other)) <= TOLERANCE_SECONDS;
}

/** Returns whether most cards have counted less than before: a card of a container or tunnel may start again from zero at any time. */
function hasFallen({ counters: before }: MachineTraits, { counters: after }: MachineTraits): boolean {
  const shared = [...before].filter(([card, bytes]) => bytes > 0 && after.has(card));
  return shared.filter(([card, bytes]) => (after.get(card) ?? 0) < bytes).length > shared.length / 2;
}
