import { canonicalText, type HostConfiguration } from './host-configuration.ts';
import type { MachineFleet } from './machine-fleet.ts';
import { type Builds, buildsOf, type Machines, machinesOf } from './machines.ts';

/** As a rule all agents are told the same checks; with more different ones, those used last stay compiled. */
const KEPT_BUILDS = 16;

/** Two kilobytes each. */
const KEPT_MACHINES = 1024;

/**
 * The machines of a fleet whose agents are configured so, made when they are first asked for. Compiling takes 5 to 30 ms
 * a shape, so configurations that differ in nothing but intervals share what is compiled.
 */
export function machinesByConfiguration(
  fleet: MachineFleet,
  plain: Machines,
): (configuration: HostConfiguration) => () => Machines {
  const builds = lastUsed<readonly Builds[]>(KEPT_BUILDS);
  const machines = lastUsed<Machines>(KEPT_MACHINES);
  return (configuration) => {
    const { checkIntervalSeconds } = configuration;
    const own = { ...fleet, configuration, checkIntervalSeconds };
    const checks = canonicalText(withoutIntervals(configuration));
    const ownBuilds = () => builds(checks, () => buildsOf(own, plain.builds()));
    const whole = canonicalText(configuration);
    return () => machines(whole, () => machinesOf(own, ownBuilds));
  };
}

function withoutIntervals({ packages, ...rest }: HostConfiguration): HostConfiguration {
  return { ...rest, checkIntervalSeconds: 0, packages: packages && { ...packages, intervalMinutes: 0 } };
}

/** Of what it has made, keeps so many that were used last. */
function lastUsed<T>(most: number): (key: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (key, make) => {
    const value = kept.get(key) ?? make();
    // The order of a map is that of insertion: what is used goes to its end, what leaves is at its beginning.
    kept.delete(key);
    kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
