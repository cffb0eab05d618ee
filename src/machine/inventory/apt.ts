import { hash32 } from '../../kernel/random.ts';
import type { InventoryPackage } from './inventory.ts';
import { cutBytes } from './packaging.ts';
import { type Cadence, releasesOf } from './releases.ts';
import { ESSENTIALS } from './upstream/essentials.ts';
import { LANGUAGES } from './upstream/languages.ts';
import { LIBRARIES } from './upstream/libraries.ts';
import { PERL_MODULES, PYTHON_MODULES } from './upstream/modules.ts';
import type { Upstream } from './upstream/table.ts';
import { TOOLS } from './upstream/tools.ts';

/** How a distribution of the Debian family versions what it packages. */
export type AptArchive = {
  readonly name: string;
  /** What stands between the upstream version and the revision of an update: `-3ubuntu1.` or `-3+deb12u`. */
  readonly revisionMark: (debianRevision: number) => string;
  /** The revision of a package that never had an update. */
  readonly plainRevision: (debianRevision: number) => string;
  /** Run-time libraries rebuilt for 64-bit time carry this after their names. */
  readonly librarySuffix: string;
  /** Projects that this member of the family does not package. */
  readonly without: readonly string[];
  /** Upstream versions where they are not those of the tables. */
  readonly versions: Readonly<Record<string, string>>;
  readonly languages: readonly LanguagePackage[];
  readonly cadence: Cadence;
};

/** A package for each language: the text before the language's code, its version and what it is. */
export type LanguagePackage = {
  readonly stem: string;
  readonly tail: string;
  readonly version: string;
  readonly what: string;
};

type Named = { readonly name: string; readonly version: string; readonly summary: string; readonly detail: string };

/** Descriptions are cut at this many bytes. */
const DESCRIPTION_BYTES = 80;
const UPDATED_SHARE = 0.17;

/** Everything such an archive offers, the essentials first. */
export function aptPackages(archive: AptArchive): readonly InventoryPackage[] {
  const random = (label: string, name: string) => hash32(0, `${archive.name}.${label}.${name}`) / 0x1_0000_0000;
  const packaged = ({ name }: Upstream) => !archive.without.includes(name);
  const libraries = LIBRARIES.filter(packaged).flatMap((upstream) =>
    libraryPackages(upstream, archive.librarySuffix, random),
  );
  const tools = TOOLS.filter(packaged).flatMap((upstream) => toolPackages(upstream, random));
  const rest = [
    ...libraries,
    ...tools,
    ...PYTHON_MODULES.filter(packaged).map(pythonPackage),
    ...PERL_MODULES.map(perlPackage),
  ];
  const mixed = [...rest].sort((a, b) => random('order', a.name) - random('order', b.name));
  const languages = LANGUAGES.flatMap((language) => languagePackages(language, archive.languages));
  const all = [...ESSENTIALS.filter(packaged).map(essentialPackage), ...mixed, ...languages];
  return all.map((named) => versioned(named, archive, random));
}

type Random = (label: string, name: string) => number;

function versioned(named: Named, archive: AptArchive, random: Random): InventoryPackage {
  const revision = 1 + Math.floor(9 * random('revision', named.name));
  const epoch = random('epoch', named.name) < 0.05 ? '1:' : '';
  const head = `${epoch}${archive.versions[named.name] ?? named.version}`;
  const description = cutBytes(`${named.summary}\n ${named.detail}`, DESCRIPTION_BYTES);
  if (random('updated', named.name) >= UPDATED_SHARE) {
    return { name: named.name, description, version: head + archive.plainRevision(revision), releases: undefined };
  }
  const version = { head: head + archive.revisionMark(revision), tail: '' };
  return { name: named.name, description, version, releases: releasesOf(archive.name, named.name, archive.cadence) };
}

function essentialPackage({ name, version, about }: Upstream): Named {
  return { name, version, summary: about, detail: `Part of every installation: ${about}, kept small on purpose.` };
}

function libraryPackages({ name, version, about }: Upstream, suffix: string, random: Random): readonly Named[] {
  const major = /^\d+/.exec(version)?.[0] ?? '0';
  const base = `lib${name}`;
  const stem = /\d$/.test(base) ? `${base}-${major}` : base + major;
  const run = random('t64', name) < 0.35 ? stem + suffix : stem;
  const detail = (what: string) => `This package has ${what} of the ${name} library.`;
  const all: readonly (Named & { readonly share: number })[] = [
    { name: run, version, summary: `${about} (shared library)`, detail: detail('the run-time part'), share: 1 },
    {
      name: `${base}-dev`,
      version,
      summary: `${about} (headers)`,
      detail: detail('the development files'),
      share: 0.5,
    },
    { name: `${base}-data`, version, summary: `${about} (data)`, detail: detail('the common files'), share: 0.45 },
    {
      name: `${name}-utils`,
      version,
      summary: `${about} (programs)`,
      detail: detail('the small programs'),
      share: 0.4,
    },
    { name: `${base}-plugins`, version, summary: `${about} (plugins)`, detail: detail('loadable parts'), share: 0.3 },
    { name: `gir1.2-${name}`, version, summary: `${about} (introspection)`, detail: detail('type data'), share: 0.2 },
  ];
  return all.filter((candidate) => random('split', candidate.name) < candidate.share);
}

function toolPackages({ name, version, about }: Upstream, random: Random): readonly Named[] {
  const detail = (what: string) => `This package contains ${what} of ${name}.`;
  const all: readonly (Named & { readonly share: number })[] = [
    { name, version, summary: about, detail: detail('the programs and their manual pages'), share: 1 },
    { name: `${name}-common`, version, summary: `${about} (shared files)`, detail: detail('common files'), share: 0.6 },
    { name: `${name}-doc`, version, summary: `${about} (documentation)`, detail: detail('the handbook'), share: 0.35 },
    { name: `${name}-bin`, version, summary: `${about} (helpers)`, detail: detail('the helpers'), share: 0.3 },
  ];
  return all.filter((candidate) => random('split', candidate.name) < candidate.share);
}

function pythonPackage({ name, version, about }: Upstream): Named {
  const detail = `${name} is used by system tools as well as by programs of your own.`;
  return { name: `python3-${name}`, version, summary: `Python 3 module for ${about}`, detail };
}

function perlPackage({ name, version, about }: Upstream): Named {
  const detail = `${name} comes from the archive of Perl modules.`;
  return { name: `lib${name}-perl`, version, summary: `Perl module for ${about}`, detail };
}

function languagePackages([code, language]: readonly [string, string], packages: readonly LanguagePackage[]) {
  const detail = `Installed together with ${language} as a language of the system.`;
  return packages.map(({ stem, tail, version, what }): Named => {
    return { name: stem + code + tail, version, summary: `${what} for ${language}`, detail };
  });
}
