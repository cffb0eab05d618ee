/** Checks that are off by default, with their number of items on a host. See docs/reference/documents.md, "Check data". */
export type OptionalChecks = {
  /** Containers. Running ones are listed. */
  readonly docker?: number;
  readonly customchecks?: number;
  /** Virtual machines. Linux only; the agent built with this check has no `ntp`. */
  readonly libvirt?: number;
  /** Exporters whose results the agent passes on. */
  readonly prometheus_exporters?: number;
  /** Entries in the event logs. Windows only. */
  readonly windows_eventlog?: number;
  /** Linux only. Unlike the other checks here, it is on unless disabled, as in the shipped configuration. */
  readonly sensors?: boolean;
};

/** The parts of an agent's configuration that affect its check data. See docs/reference/documents.md, "Check data". */
export type HostConfiguration = {
  readonly checkIntervalSeconds: number;
  /** Keys to omit from the check data, such as `disk_io`. Some checks cannot be disabled. */
  readonly disabledChecks: readonly string[];
  /** If `undefined`, those of the fleet's hosts. */
  readonly customChecks: readonly CustomCheck[] | undefined;
  /** Names of the exporters whose results the agent passes on. If `undefined`, those of the fleet's hosts. */
  readonly exporters: readonly string[] | undefined;
  /** `undefined` if the agent collects no package information. */
  readonly packages: Collecting | undefined;
};

/** How an agent collects package information. Without an update check it reports no updates. */
type Collecting = { readonly intervalMinutes: number; readonly updateCheck: boolean };

export type CustomCheck = {
  /** The key of its result in the check data. */
  readonly name: string;
  readonly command: string;
  readonly intervalSeconds: number;
  /** The agent never starts a check whose timeout exceeds its interval. */
  readonly timeoutSeconds: number;
};

/** Returns equal texts for equivalent configurations. */
export function canonicalText(configuration: HostConfiguration): string {
  const { checkIntervalSeconds, disabledChecks, customChecks, exporters, packages } = configuration;
  const checks = customChecks?.map((it) => [it.name, it.command, it.intervalSeconds, it.timeoutSeconds]);
  const fixed = { disabled: [...new Set(disabledChecks)].sort(), checks, exporters };
  return JSON.stringify({
    every: checkIntervalSeconds,
    ...fixed,
    packages: packages && [packages.intervalMinutes, packages.updateCheck],
  });
}
