import { hash32 } from '../../kernel/random.ts';
import type { InventoryPackage, Revised } from './inventory.ts';
import { type Cadence, releasesOf } from './releases.ts';
import { LANGUAGES } from './upstream/languages.ts';
import { LIBRARIES } from './upstream/libraries.ts';
import { PERL_MODULES, PYTHON_MODULES } from './upstream/modules.ts';
import type { Upstream } from './upstream/table.ts';
import { TOOLS } from './upstream/tools.ts';

/** How a distribution makes packages of upstream projects; of two packages with one name the first counts. */
export type Customs = {
  readonly archive: string;
  /** What every host has, in the order of importance. */
  readonly essentials: readonly Upstream[];
  /** Projects that only the Debian family packages, and those that go by another name here. */
  readonly without: readonly string[];
  readonly renamed: Readonly<Record<string, string>>;
  readonly library: readonly Split[];
  readonly tool: readonly Split[];
  readonly python: (name: string) => string;
  readonly perl: (name: string) => string;
  readonly language: readonly ((code: string) => string)[];
  /** Upstream versions where they are not those of the tables. */
  readonly versions: Readonly<Record<string, string>>;
  /** The description as the package manager tells it, cut at the agent's limit by itself. */
  readonly describe: (summary: string, detail: string) => string;
  /** The text around the revision of a package; `chance` is the package's own, from 0 to 1. */
  readonly version: (upstream: string, chance: number) => Revised;
  /** Which share of the packages has had updates since the release. */
  readonly updatedShare: number;
  readonly cadence: Cadence;
};

/** One of the packages that a project is split into. */
export type Split = {
  readonly name: (project: string, version: string) => string;
  readonly what: string;
  /** Which share of the projects has it. */
  readonly share: number;
};

type Named = { readonly name: string; readonly version: string; readonly summary: string; readonly detail: string };
type Random = (label: string, name: string) => number;

/** Descriptions are cut at this many bytes. */
const DESCRIPTION_BYTES = 80;

/** Everything an archive offers, the essentials first; short inventories take the beginning. */
export function packagesBy(customs: Customs): readonly InventoryPackage[] {
  const random: Random = (label, name) => hash32(0, `${customs.archive}.${label}.${name}`) / 0x1_0000_0000;
  const projects = (list: readonly Upstream[]) => {
    const known = list.filter(({ name }) => !customs.without.includes(name));
    return known.map((upstream) => ({ ...upstream, name: customs.renamed[upstream.name] ?? upstream.name }));
  };
  const modules = [
    ...PYTHON_MODULES.map((upstream) => moduleOf(upstream, 'Python', customs.python(upstream.name))),
    ...PERL_MODULES.map((upstream) => moduleOf(upstream, 'Perl', customs.perl(upstream.name))),
  ];
  const rest = [
    ...projects(LIBRARIES).flatMap((upstream) => split(upstream, customs.library, random)),
    ...projects(TOOLS).flatMap((upstream) => split(upstream, customs.tool, random)),
    ...modules,
  ];
  const mixed = [...rest].sort((a, b) => random('order', a.name) - random('order', b.name));
  const all = [...customs.essentials.map(essential), ...mixed, ...spoken(customs)];
  const seen = new Set<string>();
  const unique = all.filter(({ name }) => !seen.has(name) && seen.add(name));
  return unique.map((named) => versioned(named, customs, random));
}

function split({ name, version, about }: Upstream, splits: readonly Split[], random: Random): readonly Named[] {
  const all = splits.map(({ name: nameOf, what, share }) => {
    const detail = `This package holds ${what} of ${name}.`;
    return { name: nameOf(name, version), version, summary: `${about} (${what})`, detail, share };
  });
  return all.filter((candidate) => random('split', candidate.name) < candidate.share);
}

function essential({ name, version, about }: Upstream): Named {
  return { name, version, summary: about, detail: `Every installation needs ${name}.` };
}

function moduleOf({ version, about }: Upstream, language: string, name: string): Named {
  return { name, version, summary: `${language} module for ${about}`, detail: `A module of ${language}.` };
}

function spoken({ language }: Customs): readonly Named[] {
  return LANGUAGES.flatMap(([code, name]) => {
    const detail = `Installed for those who read ${name}.`;
    return language.map((nameOf) => ({ name: nameOf(code), version: '1.0', summary: `support for ${name}`, detail }));
  });
}

function versioned(named: Named, customs: Customs, random: Random): InventoryPackage {
  const { name } = named;
  const description = cutBytes(customs.describe(named.summary, named.detail), DESCRIPTION_BYTES);
  const version = customs.version(customs.versions[name] ?? named.version, random('version', name));
  if (random('updated', name) < customs.updatedShare) {
    return { name, description, version, releases: releasesOf(customs.archive, name, customs.cadence) };
  }
  const revision = 1 + Math.floor(9 * random('revision', name));
  return { name, description, version: version.head + revision + version.tail, releases: undefined };
}

/** The first so many bytes as the agent cuts them: a character cut in two becomes a replacement character. */
export function cutBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  return encoded.length <= bytes ? text : encoded.subarray(0, bytes).toString('utf8');
}

/** A project's version with its third number, or a further one, made the revision: rolling systems follow upstream. */
export function following(version: string, tail: string): Revised {
  const match = /^(.*\d\D+\d+\D+)\d+$/.exec(version);
  return match === null ? { head: `${version}.`, tail } : { head: match[1] ?? '', tail };
}
