import { canonicalText, type HostConfiguration } from './host-configuration.ts';
import type { MachineFleet } from './machine-fleet.ts';
import { createMachines, type Machines } from './machines.ts';

/** As a rule all agents are given one configuration; with more than so many, those used last stay compiled. */
const KEPT = 16;

/** The machines of a fleet whose agents are configured so, made when they are first asked for. */
export function machinesByConfiguration(
  fleet: MachineFleet,
  plain: Machines,
): (configuration: HostConfiguration) => () => Machines {
  const kept = new Map<string, Machines>();
  return (configuration) => {
    const key = canonicalText(configuration);
    const { checkIntervalSeconds } = configuration;
    return () => {
      const known = kept.get(key);
      const machines = known ?? createMachines({ ...fleet, configuration, checkIntervalSeconds }, plain);
      // The order of a map is that of insertion: what is used goes to its end, what leaves is at its beginning.
      kept.delete(key);
      kept.set(key, machines);
      const [oldest] = kept.keys();
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
      return machines;
    };
  };
}
