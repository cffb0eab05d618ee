import type { Node } from '../document/nodes.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import { fixedPart } from '../host/part.ts';
import type { OperatingSystem } from '../host/profile.ts';
import type { HostTables } from '../host-data.ts';
import { ON_EVERY_HOST } from '../packages/causes.ts';
import { LISTS, NO_STATS, type Software } from '../packages/document.ts';
import { linuxSoftware } from '../packages/linux.ts';
import type { InventoryPackage } from '../packages/linux-inventory.ts';
import { type Habits, type Monthly, monthOf, published, releasesOf } from '../packages/updates.ts';
import type { Pattern } from '../packages/versions.ts';
import { windowsSoftware } from '../packages/windows.ts';
import { cumulativeUpdates, windowsUpdates } from '../packages/windows-updates.ts';
import { type RecordedBuild, recordedText } from './recorded-hosts.ts';
import type { RecordedPackages, RecordedStats } from './template.ts';

type SoftwareInput = {
  readonly data: HostTables;
  readonly system: OperatingSystem;
  readonly stats: () => RecordedStats | undefined;
  /** The recorded package document; `undefined` if there was none. All lists are empty then, and if parts of it are replayed verbatim. */
  readonly packages: RecordedBuild | undefined;
};

/** The software of a recorded host. From the recorded versions, Linux packages continue to be updated, and so does a Windows system. */
export function recordedSoftware({ data, system, stats, packages: build }: SoftwareInput): Software {
  const isUpdated = build?.verbatimParts.length === 0;
  const packages: RecordedPackages | undefined = isUpdated ? JSON.parse(recordedText(build)) : undefined;
  const reported = packages?.Stats ?? stats() ?? NO_STATS;
  const common = {
    operatingSystem: system,
    packageManager: reported.PackageManager,
    osName: reported.OsName,
    osFamily: reported.OsFamily,
    osVersion: () => fixedPart(reported.OsVersion),
  };
  if (packages !== undefined && !packages.Stats.LastError) {
    if (system === 'linux') return { ...updatedPackages(packages), ...common };
    if (system === 'windows') return { ...updatedWindows(packages, data), ...common };
  }
  return { ...common, ...unchangedPackages(reported, packages), lastError: packages?.Stats.LastError ?? '' };
}

function unchangedPackages(
  { InstalledPackages, UpgradablePackages, SecurityUpdates, RebootRequired }: typeof NO_STATS | RecordedStats,
  packages: RecordedPackages | undefined,
): Pick<Software, 'foundAt' | 'lists'> {
  const found = {
    installed: InstalledPackages,
    upgradable: UpgradablePackages,
    security: SecurityUpdates,
    rebootRequired: RebootRequired,
  };
  const nodes = Object.fromEntries(packages === undefined ? [] : LISTS.map((name) => [name, packages[name] as Node]));
  return { foundAt: () => found, lists: () => ({ nodes, fill: () => {} }) };
}

/** By build of Windows: the edition of its cumulative updates, and its name in their titles. */
const WINDOWS_BUILDS: Readonly<Record<string, { readonly edition: string; readonly system: string }>> = {
  20348: { edition: 'windows-server-2022', system: 'Microsoft server operating system version 21H2' },
  26100: { edition: 'windows-11', system: 'Windows 11 Version 24H2' },
};
/** For other builds, whose articles are not listed. */
const UNLISTED_MONTHS = [{ article: 5_040_000, build: 0 }];

function updatedWindows({ Stats: { OsName, OsVersion }, WindowsApps }: RecordedPackages, data: HostTables): Software {
  const build = /10\.0\.(\d+)/.exec(OsVersion)?.[1] ?? '';
  const client = !/Server/.test(OsName);
  const known = WINDOWS_BUILDS[build];
  const isKnown = known !== undefined && client === (known.edition === 'windows-11');
  const cumulative = isKnown ? cumulativeUpdates(data, known.edition) : { edition: OsName, months: UNLISTED_MONTHS };
  const system = isKnown ? known.system : OsName.replace(/^Microsoft /, '');
  const apps = WindowsApps.map(({ Name, Version, Publisher }) => {
    return { name: Name, version: Version, publisher: Publisher, releases: undefined, mask: ON_EVERY_HOST };
  });
  // The host's drivers are not known.
  const updates = windowsUpdates({ data, system, client, cumulative }).filter(({ article }) => article !== undefined);
  const listed = { apps, causes: [] };
  return windowsSoftware({ osName: OsName, release: '', build, cumulative, updates, listed });
}

/** How often archives publish and hosts install, if only one list is known. */
const HABITS: Habits = { fixDays: 2.5, otherDays: 5, phaseDays: 0.8, unattended: 0.6, restartsLater: true };
/** Only the time of its releases matters: no version contains the revision. */
const KERNEL: Monthly = { revision: 100, month: monthOf(2026, 1), security: true };
const TELLS_REBOOTS = new Set(['apt', 'dnf', 'zypper']);

function updatedPackages(recorded: RecordedPackages): Software {
  const { Stats } = recorded;
  return linuxSoftware({
    packages: inventoryOf(recorded),
    causes: [],
    patches: [],
    habits: HABITS,
    kernel: KERNEL,
    tellsReboots: TELLS_REBOOTS.has(Stats.PackageManager),
    tellsSecurity: true,
    packageManager: Stats.PackageManager,
    osName: Stats.OsName,
    osVersion: Stats.OsVersion,
    osFamily: Stats.OsFamily,
  });
}

/**
 * Packages that continue to be updated from the recorded versions. Those with the same version are treated as one source: they are
 * published together. The first release of a source is the recorded version, the second an update that was pending then.
 */
function inventoryOf(recorded: RecordedPackages): readonly InventoryPackage[] {
  const { LinuxPackages, LinuxUpdates, LastUpdate, Stats } = recorded;
  const seconds = secondsSinceEpoch(1000 * LastUpdate);
  const updates = new Map(LinuxUpdates.map((update) => [`${update.Name} ${update.CurrentVersion}`, update]));
  const names = Map.groupBy(LinuxPackages, ({ Name }) => Name);
  const sources = new Map<string, Pick<InventoryPackage, 'version' | 'releases'>>();
  const sourceOf = (name: string, version: string) => {
    const update = updates.get(`${name} ${version}`);
    const key = `${version} ${update?.AvailableVersion ?? ''} ${update?.IsSecurityUpdate ?? ''}`;
    const usual = releasesOf(Stats.OsName, name);
    const released = update === undefined ? 1 : 2;
    const phase = usual.phase + released - published(usual, seconds);
    const releases = { ...usual, phase, security: update?.IsSecurityUpdate ?? usual.security };
    const source = sources.get(key) ?? { version: risingVersion(version, update?.AvailableVersion), releases };
    sources.set(key, source);
    return source;
  };
  return LinuxPackages.map(({ Name, Version, Description }) => {
    // Packages with several versions side by side, such as kernels, are not upgraded.
    const isAlone = names.get(Name)?.length === 1 && NUMBERS.test(Version);
    const source = isAlone ? sourceOf(Name, Version) : { version: [Version], releases: undefined };
    return { name: [Name], description: Description, mask: ON_EVERY_HOST, ...source };
  });
}

const NUMBERS = /(0|[1-9]\d{0,8})/;

/** A version whose last number rises, or those numbers that rise to the offered version if its form is the same. */
function risingVersion(version: string, offered = ''): Pattern {
  // Split at its numbers, a version has them at odd positions.
  const [pieces, next] = [version.split(NUMBERS), offered.split(NUMBERS)];
  const increaseAt = (index: number) => (index % 2 === 1 ? Number(next[index]) - Number(pieces[index]) : 0);
  const hasForm = next.length === pieces.length && pieces.every((piece, at) => at % 2 === 1 || piece === next[at]);
  const isFollowed = hasForm && pieces.some((_, index) => increaseAt(index) > 0);
  return pieces.map((piece, index) => {
    const times = isFollowed ? increaseAt(index) : Number(index === pieces.length - 2);
    if (times > 0) return { times, plus: Number(piece) - times };
    return (isFollowed ? next[index] : piece) ?? '';
  });
}
