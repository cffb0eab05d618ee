import { hash32 } from '../../kernel/random.ts';
import { DAY_SECONDS } from '../../kernel/units.ts';
import { secondsSinceEpoch } from '../time/moment.ts';
import { type Cause, groupNamed } from './causes.ts';
import { isFixed, type Pattern, revisedPattern } from './pattern.ts';
import type { Periodic } from './releases.ts';

/**
 * The packages of a distribution as text. A line is `source version binary binary …`. In a version, the number that
 * updates raise stands in braces as it was at the table's date, with `!` before it if updates are for security and,
 * after a slash, the days between them: `3.0.{!17/80}-1`. A binary with a version of its own has it after `=`, where `*`
 * is that of the source; after `@` stand the letters of the groups that bring it, and after `+` each service of the
 * distribution that does. Without, it is on every host.
 */
export type TableText = {
  /** As 2026-11-21. */
  readonly date: string;
  /** By letter. Groups that are called like a role are on all hosts of the role, and on no others. */
  readonly groups: Readonly<Record<string, readonly [name: string, share: number]>>;
  readonly lines: string;
};

/** A package that hosts may have. */
export type TablePackage = {
  readonly name: string;
  readonly source: string;
  readonly version: Pattern;
  /** One object for all packages of a source. */
  readonly releases: Periodic | undefined;
  readonly letters: string;
  /** In [0, 1): where it stands among others of its kind. */
  readonly chance: number;
  /** Services that it comes with. */
  readonly services: readonly string[];
};

export type PackageTable = {
  readonly packages: readonly TablePackage[];
  /** Optional groups, and the letters of all. */
  readonly groups: ReadonlyMap<string, Cause>;
  readonly roles: ReadonlyMap<string, string>;
};

const MOVING = /^(.*)\{(!?)(\d+)(?:\/(\d+))?\}(.*)$/;
const USUAL_DAYS = { from: 60, to: 360 };

/** Reads a table; `roles` are the names that groups may share with roles. */
export function packageTable({ date, groups, lines }: TableText, roles: readonly string[]): PackageTable {
  const dateSeconds = secondsSinceEpoch(Date.parse(date));
  const ofRoles = Object.entries(groups).filter(([, [name]]) => roles.includes(name));
  const optional = Object.entries(groups).filter(([, [name]]) => !roles.includes(name));
  return {
    packages: lines
      .trim()
      .split('\n')
      .flatMap((line) => linePackages(line, dateSeconds)),
    groups: new Map(optional.map(([letter, [name, share]]) => [letter, groupNamed(name, share)])),
    roles: new Map(ofRoles.map(([letter, [name]]) => [letter, name])),
  };
}

function linePackages(line: string, dateSeconds: number): readonly TablePackage[] {
  const [source = '', version = '', ...binaries] = line.split(' ');
  const match = MOVING.exec(version);
  const [, head = '', urgent = '', number = '', days = '', tail = ''] = match ?? [];
  const releases =
    match === null ? undefined : releasesFrom(source, { number, days, security: urgent !== '', dateSeconds });
  const common: Pattern = match === null ? [version] : revisedPattern(head, tail);
  return binaries.map((binary) => {
    const [, name = '', own, letters = '', services = ''] =
      /^([^=@]+)(?:=([^@]+))?(?:@(\w*)((?:\+[^+]+)*))?$/.exec(binary) ?? [];
    const pattern = own === undefined ? common : within(own, common);
    // A binary with another upstream version does not move with its source.
    return {
      name,
      source,
      version: pattern,
      releases: isFixed(pattern) ? undefined : releases,
      letters,
      chance: chanceOf('rank', name),
      services: services.split('+').slice(1),
    };
  });
}

function within(own: string, common: Pattern): Pattern {
  const [before, after] = own.split('*');
  return after === undefined ? [own] : [before ?? '', ...common, after];
}

type Dated = {
  readonly number: string;
  readonly days: string;
  readonly security: boolean;
  readonly dateSeconds: number;
};

/** Releases whose newest revision at the date is the number of the table, some time after its publication. */
function releasesFrom(source: string, { number, days, security, dateSeconds }: Dated): Periodic {
  const usual = USUAL_DAYS.from + (USUAL_DAYS.to - USUAL_DAYS.from) * chanceOf('days', source);
  const periodSeconds = Math.round((days === '' ? usual : Number(days)) * DAY_SECONDS);
  return {
    periodSeconds,
    phase: Number(number) - 1 + chanceOf('phase', source) - dateSeconds / periodSeconds,
    security,
  };
}

function chanceOf(label: string, name: string): number {
  return hash32(0, `packages.${label}.${name}`) / 0x1_0000_0000;
}
