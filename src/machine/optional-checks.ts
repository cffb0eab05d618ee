/**
 * Checks that an administrator switches on, each under its name in the check data, with how many of its things a host
 * has. What is not named is off. See docs/protocol.md, "Check data".
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
