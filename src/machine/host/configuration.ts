/**
 * Checks that an administrator switches on, each under its name in the check data, with how many of its things a host
 * has. What is not named is off. See docs/reference/wire.md, "Check data".
 */
export type OptionalChecks = {
  /** Containers; those that run are listed. */
  readonly docker?: number;
  /** Plugins of the administrator's own. */
  readonly customchecks?: number;
  /** Virtual machines. Linux only; the agent built for them has no `ntp`. */
  readonly libvirt?: number;
  /** Names of exporters whose results the agent passes on. */
  readonly prometheus_exporters?: number;
  /** Entries in the event logs. Windows only. */
  readonly windows_eventlog?: number;
  /** Linux only, and the one check here that is on unless it is switched off, as in the configuration that is shipped. */
  readonly sensors?: boolean;
};

/** What the configuration of an agent changes in what it tells. See docs/reference/wire.md, "Check data". */
export type HostConfiguration = {
  readonly checkIntervalSeconds: number;
  /** Keys of the check data that are left out, such as `disk_io`. Some always stay, whatever is named here. */
  readonly disabledChecks: readonly string[];
  /** Undefined: those that the fleet's hosts have. */
  readonly customChecks: readonly CustomCheck[] | undefined;
  /** Names of the exporters whose results the agent passes on. Undefined: those that the fleet's hosts have. */
  readonly exporters: readonly string[] | undefined;
  /** Undefined: the agent collects no package information. */
  readonly packages: Collecting | undefined;
};

/** How an agent collects package information; without a look for updates it tells of none. */
type Collecting = { readonly intervalMinutes: number; readonly updateCheck: boolean };

/** A plugin that an administrator has the agent run. */
export type CustomCheck = {
  /** The key of its result in the check data. */
  readonly name: string;
  readonly command: string;
  readonly intervalSeconds: number;
  /** The agent never starts one with more time than its interval. */
  readonly timeoutSeconds: number;
};

/** Equal for configurations that say the same. */
export function canonicalText(configuration: HostConfiguration): string {
  const { checkIntervalSeconds, disabledChecks, customChecks, exporters, packages } = configuration;
  const checks = customChecks?.map((it) => [it.name, it.command, it.intervalSeconds, it.timeoutSeconds]);
  const told = { disabled: [...new Set(disabledChecks)].sort(), checks, exporters };
  return JSON.stringify({
    every: checkIntervalSeconds,
    ...told,
    packages: packages && [packages.intervalMinutes, packages.updateCheck],
  });
}
