import { OTHER_UNITS, SERVICES, TARGET_UNITS, TIMED, type UnitLine, type UnitState, unitLines } from './units.ts';

/** The units of a distribution's hosts besides those of their devices and of their role. */
export type UnitSet = { readonly units: readonly UnitLine[]; readonly timed: readonly TimedService[] };

/** A service that runs for a moment now and then, started by its timer. */
export type TimedService = { readonly name: string; readonly periodSeconds: number };

/** How another distribution differs: lines of `name | description` by state, most important first. */
export type UnitCustoms = {
  readonly without: RegExp;
  readonly renamed?: Readonly<Record<string, string>>;
  readonly exited?: string;
  readonly dead?: string;
  readonly waiting?: string;
  /** Its own timed services beside the common ones that it has. */
  readonly timed?: readonly TimedService[];
};

const ALL = [...SERVICES, ...OTHER_UNITS, ...TARGET_UNITS];
const EXITED: UnitState = ['active', 'loaded', 'exited'];
const DEAD: UnitState = ['inactive', 'loaded', 'dead'];
const WAITING: UnitState = ['active', 'loaded', 'waiting'];

export const UBUNTU_UNITS: UnitSet = { units: ALL, timed: TIMED };

/** What Ubuntu alone has. */
export const UBUNTU_ONLY =
  /^(snapd|cloud-|apport|ua-|ubuntu-|update-notifier|motd-news|netplan|pollinate|networkd-dispatcher|multipathd|finalrd|setvtrgb|secureboot|ufw|fwupd)/;
/** What the Debian family alone has. */
export const DEBIAN_ONLY =
  /^(snapd|cloud-|apport|ua-|ubuntu-|update-notifier|motd-news|netplan|pollinate|networkd-dispatcher|multipathd|finalrd|setvtrgb|secureboot|ufw|fwupd|dbus\.service|apt-|dpkg-|e2scrub|phpsessionclean|keyboard-setup|console-setup|unattended-|getty-static|ifupdown|vgauth|rc-local|grub-common|x11-common|cryptdisks|hwclock|sudo)/;

/** Services that NetworkManager and chrony stand in for. */
export const NETWORKD = /^systemd-(networkd|networkd-wait-online|resolved|timesyncd)\./;

/** Units whose names one of the patterns matches. */
export function eitherOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

export function unitSet(customs: UnitCustoms): UnitSet {
  const { without, renamed = {}, exited = '', dead = '', waiting = '', timed = [] } = customs;
  const own = [...unitLines(EXITED, exited), ...unitLines(DEAD, dead), ...unitLines(WAITING, waiting)];
  const known = new Set(own.map(({ name }) => name));
  const others = ALL.filter(({ name }) => !without.test(name))
    .map((unit) => ({ ...unit, name: renamed[unit.name] ?? unit.name }))
    .filter(({ name }) => !known.has(name));
  return { units: [...own, ...others], timed: [...timed, ...TIMED.filter(({ name }) => !without.test(name))] };
}
