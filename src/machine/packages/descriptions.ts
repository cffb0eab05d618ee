import { type HostTables, oncePerData, readTable, TEXT } from '../host-data.ts';

/** Descriptions are cut at this many bytes. */
const DESCRIPTION_BYTES = 80;
const LINE_CHARACTERS = 58;

/** What a package's name says about it; `$` stands for what it belongs to. */
const KINDS: readonly (readonly [pattern: RegExp, summary: string, detail: string])[] = [
  [
    /^(?:lib)?(.+)-(?:dev|devel)$/,
    'development files of $',
    'Headers and links that are needed to build programs with $.',
  ],
  [/^(.+)-(?:doc|docs)$/, 'documentation of $', 'The handbook and examples of $, to be read offline.'],
  [
    /^(.+)-(?:common|data|filesystem)$/,
    'files that the parts of $ share',
    'What does not depend on the processor stands here for all of $.',
  ],
  [
    /^(.+)-(?:l10n|lang|locales|langpack.*)$/,
    'translations for $',
    'Texts of $ in the languages that people have made them for.',
  ],
  [/^lib(.+)-perl$/, 'Perl module $', 'Programs in Perl load it; nothing has to be configured for $.'],
  [/^perl-(.+)$/, 'Perl module $', 'Programs in Perl load it; nothing has to be configured for $.'],
  [/^python\d*-(.+)$/, 'Python module $', 'Tools of the system load it, as may programs of your own with $.'],
  [/^ruby\d*[.-](.+)$/, 'Ruby library $', 'Programs in Ruby require it; it is here for those that need $.'],
  [/^node-(.+)$/, 'JavaScript module $', 'Loaded by programs that run on Node; $ has no command of its own.'],
  [/^(?:fonts-|.*-fonts)(.*)$/, 'typefaces $', 'Outlines for screens and printers, from the family of $.'],
  [/^(?:gir1\.2|typelib-1_0)-(.+)$/, 'introspection data of $', 'Lets scripts call $ without bindings made for it.'],
  [/^lib(.+?)(?:t64)?$/, 'shared library $', 'Programs that use $ load this library when they start.'],
  [/^(.+)-libs?$/, 'shared libraries of $', 'Programs that use $ load these libraries when they start.'],
  [/^(.+)-(?:utils|tools|bin)$/, 'programs that belong to $', 'Small programs for the command line around $.'],
  [/^(.+)$/, 'the package $', 'Programs and configuration of $ as the distribution has put them together.'],
];

/** What a package is, in a line, and the beginning of what can be said beyond it. */
type PackageText = { readonly summary: string; readonly detail: string };

/** The description that an agent has from a package manager, as long as the agent tells it. */
export type Describe = (text: PackageText) => string;

/** The texts of packages by name and source: summaries of the data where there are some, and else what the name says. */
export const packageTexts: (data: HostTables) => (name: string, source: string) => PackageText = oncePerData((data) => {
  const rows = readTable(data, 'packages/summaries.tsv', { package: TEXT, summary: TEXT });
  const summaries = new Map(rows.map((row) => [row.package, row.summary]));
  return (name, source) => {
    const kind = KINDS.find(([pattern]) => pattern.test(name));
    const what = (kind?.[0].exec(name)?.[1] ?? name) || source;
    const [, summary = '', detail = ''] = kind ?? [];
    return { summary: summaries.get(name) ?? summary.replace('$', what), detail: detail.replace('$', what) };
  };
});

/** As apt tells them: a line of summary, and the beginning of the next. */
export const aptDescription: Describe = ({ summary, detail }) => cutBytes(`${summary}\n ${detail}`, DESCRIPTION_BYTES);

/** As rpm tells them to zypper: full sentences with their line breaks. */
export const zypperDescription: Describe = ({ summary, detail }) =>
  cutBytes(brokenLines(`${sentence(summary)} ${detail}`), DESCRIPTION_BYTES);

/** As pacman tells them: one line. */
export const pacmanDescription: Describe = ({ summary }) => cutBytes(sentence(summary).slice(0, -1), DESCRIPTION_BYTES);

/** dnf's list has none. */
export const noDescription: Describe = () => '';

/** The first so many bytes as the agent cuts them: a character cut in two becomes a replacement character. */
export function cutBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  return encoded.length <= bytes ? text : encoded.subarray(0, bytes).toString('utf8');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function brokenLines(text: string): string {
  const blank = text.lastIndexOf(' ', LINE_CHARACTERS);
  return blank < 0 || text.length <= LINE_CHARACTERS ? text : `${text.slice(0, blank)}\n${text.slice(blank + 1)}`;
}
