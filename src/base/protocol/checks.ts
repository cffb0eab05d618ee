const NAMES = [
  ...['agent', 'cpu', 'customchecks', 'disk_io', 'disks', 'docker', 'launchd_services', 'libvirt', 'memory'],
  ...['net_io', 'net_stats', 'ntp', 'packagemanager', 'processes', 'prometheus_exporters', 'sensors', 'swap'],
  ...['system_load', 'systemd_services', 'users', 'windows_eventlog', 'windows_services'],
] as const;

/** A check of agent 3.6.1; `CHECK_SHAPES` describes each. */
export type CheckName = (typeof NAMES)[number];

/** The checks by name, in the order of the document. Apart from their shapes, which servers load only to verify documents. */
export const CHECK_NAMES: readonly string[] = NAMES;
