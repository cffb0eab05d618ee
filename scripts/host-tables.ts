/**
 * Prints the tables of docs/developers/hosts.md about the variety and the sizes of hosts. Run by hand after a change to hosts:
 *
 *     node scripts/host-tables.ts
 */

import { readHostData } from '../src/base/storage/host-data.ts';
import { plain } from '../src/hosts/document/plain.ts';
import type { HostGroup } from '../src/hosts/fleet.ts';
import { createMachines } from '../src/hosts/payloads.ts';

const INSTANT_MS = Date.UTC(2026, 10, 18, 9, 3, 41);
const VARIED: readonly (readonly [profile: string, payload: 'full' | 'typical'])[] = [
  ...(['ubuntu-24.04', 'windows-11', 'macos-26'] as const).flatMap((profile) => [
    [profile, 'full'] as const,
    [profile, 'typical'] as const,
  ]),
  ...['almalinux-9', 'arch', 'windows-server-2022', 'macos-15'].map((profile) => [profile, 'typical'] as const),
];
const SIZED: readonly (readonly [role: string, profile: string])[] = [
  ...([
    ['web', 'ubuntu-24.04'],
    ['mail', 'debian-12'],
    ['file-server', 'debian-12'],
  ] as const),
  ...([
    ['postgresql', 'almalinux-9'],
    ['build', 'ubuntu-24.04'],
    ['container-host', 'debian-12'],
  ] as const),
  ...([
    ['hypervisor', 'almalinux-9'],
    ['domain-controller', 'windows-server-2022'],
  ] as const),
  ...['file-server', 'hypervisor', 'build'].map((role) => [role, 'windows-server-2022'] as const),
  ...([
    ['developer', 'windows-11'],
    ['build', 'macos-26'],
  ] as const),
];
const base = { data: readHostData(), seed: 1, checkIntervalSeconds: 60 };

// biome-ignore lint/suspicious/noExplicitAny: documents are read as a monitoring server reads them, without their types.
type Document = any;
type Host = { readonly checkdata: Document; readonly packages: Document };

function hostsOf(machines: ReturnType<typeof createMachines>, count: number): readonly Host[] {
  const read = ({ node, frame }: ReturnType<typeof machines.checkdata>): Document => plain(node(), frame);
  return Array.from({ length: count }, (_, agent) => ({
    checkdata: read(machines.checkdata(agent, INSTANT_MS)),
    packages: read(machines.packages(agent, INSTANT_MS)),
  }));
}

/** Without numbers, which PIDs, identifiers and versions are. */
const names = (list: readonly Document[] = []) =>
  list.map(({ name, Name, Label }) => String(name ?? Name ?? Label).replace(/\d+/g, ''));

const VALUES: readonly ((host: Host) => unknown)[] = [
  ({ checkdata }) => checkdata.disks.map(({ disk, usage }: Document) => [disk.mountpoint, usage.total]),
  ({ checkdata }) => checkdata.memory.total,
  ({ checkdata }) => names(checkdata.processes),
  ({ checkdata }) => names(checkdata.systemd_services ?? checkdata.windows_services ?? checkdata.launchd_services),
  ({ packages }) => names([...packages.LinuxPackages, ...packages.WindowsApps, ...packages.MacosApps]),
];

const lines = ['| Profile | Payload | Disks and their sizes | Memory totals | Process lists | Services | Packages |'];
for (const [profile, payload] of VARIED) {
  const hosts = hostsOf(createMachines({ ...base, profiles: { [profile]: 1 }, payload }), 1000);
  const distinct = VALUES.map((value) => new Set(hosts.map((host) => textOf(value(host)))).size);
  lines.push(`| ${[profile, payload, ...distinct.map((count) => count.toLocaleString('en'))].join(' | ')} |`);
}
lines.push('', '| Role | Profile | Check data, KB | Processes | Cores | File systems |');
const FIGURES: readonly ((checkdata: Document) => number)[] = [
  (checkdata) => Math.round(textOf(checkdata).length / 1000),
  (checkdata) => checkdata.processes.length,
  (checkdata) => checkdata.cpu.cpu_percentage.length,
  (checkdata) => checkdata.disks.length,
];
for (const [role, profile] of SIZED) {
  const group: HostGroup = { name: role, size: { kind: 'count', agents: 200 }, profile, role, payload: 'natural' };
  const hosts = hostsOf(createMachines({ ...base, groups: [group], agents: 200 }), 200);
  const figures = FIGURES.map((figure) => percentiles(hosts.map(({ checkdata }) => figure(checkdata))));
  lines.push(`| ${[role, profile, ...figures].join(' | ')} |`);
}
/** Half of them Linux servers. */
const MIXED = {
  'ubuntu-24.04': 30,
  'debian-12': 20,
  'windows-11': 25,
  'windows-server-2022': 15,
  'macos-26': 10,
};
lines.push('', 'Check data of 400 hosts, KB:');
for (const payload of ['natural', 'full'] as const) {
  const hosts = hostsOf(createMachines({ ...base, profiles: MIXED, payload }), 400);
  lines.push(`${payload}: ${percentiles(hosts.map(({ checkdata }) => FIGURES[0]?.(checkdata) ?? 0))}`);
}
process.stdout.write(`${lines.join('\n')}\n`);

/** Whole numbers beyond the precision of a double are of another type. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? Number(one) : one));
}

/** The 5th, 50th and 95th. */
function percentiles(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.05, 0.5, 0.95].map((share) => sorted[Math.floor(share * (sorted.length - 1))]).join(', ');
}
