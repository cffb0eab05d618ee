import { hash32 } from '../../base/kernel/random.ts';
import { column, type HostTables, oncePerData, readTable, type TableColumn } from '../host-data.ts';

/** Descriptions of packages and of updates are cut at this many bytes, those of apps are not. */
const DESCRIPTION_BYTES = 80;
const LINE_CHARACTERS = 58;

/** Kinds of packages by name, with their texts. `$` is the thing that the package belongs to, `#` the summary of its topic. */
const KIND = {
  pattern: { expected: 'a pattern', pattern: /./, read: (cell) => new RegExp(cell) } satisfies TableColumn<RegExp>,
  ofName: column.text,
  ofTopic: {
    expected: 'texts with bars between them',
    pattern: /./,
    read: (cell) => cell.split(' | '),
  } satisfies TableColumn<readonly string[]>,
  detail: column.text,
};

/** What precedes and follows the word that identifies a topic. */
const BEFORE =
  /^(?:perl-|python\d*(?:\.\d+)?-|ruby[\d.]*-|rubygem-|rust-|node-|golang-|php[\d.]*-)?(?:lib(?!re|virt|tool))?/;
const BEHIND = /(?:-perl|[-_.]?\d[\d._]*)$/;

type PackageText = { readonly summary: string; readonly detail: string };

/** Returns the description as the agent gets it from a package manager, cut as the agent cuts it. */
type Describe = (text: PackageText) => string;

/** By package name and source: the text of the package itself, else of its topic or source, else one that follows from its name. */
export const packageTexts: (data: HostTables) => (name: string, source: string) => PackageText = oncePerData((data) => {
  const rows = readTable(data, 'packages/summaries.tsv', {
    name: column.text,
    summary: column.text,
    detail: column.orEmpty(column.text),
  });
  const kinds = readTable(data, 'packages/kinds.tsv', KIND);
  const topics = new Map(rows.flatMap((row) => [[topicOf(row.name), row] as const]));
  const exact = new Map(rows.map((row) => [row.name, row]));
  return (name, source) => {
    const kind = kinds.find(({ pattern }) => pattern.test(name)) as (typeof kinds)[number];
    const { pattern, ofName, ofTopic } = kind;
    const thing = pattern.exec(name)?.[1] || source;
    const own = exact.get(name);
    const topic = own ?? topics.get(topicOf(thing)) ?? topics.get(topicOf(source));
    const draw = hash32(0, name);
    const phrase = own === undefined ? (ofTopic[(draw >>> 1) % ofTopic.length] ?? '') : '#';
    const kindDetail = kind.detail.replace('$', thing);
    // Only some packages of a topic repeat its details, so that their texts differ.
    const isOfTopic = topic?.detail !== undefined && (own !== undefined || draw % 2 === 0);
    return {
      summary: (topic === undefined ? ofName : phrase).replace('#', topic?.summary ?? '').replace('$', thing),
      detail: isOfTopic ? `${topic.detail} ${kindDetail}` : kindDetail,
    };
  };
});

/** `libx11-6`, `libX11` and `perl-X11` have the same topic. */
function topicOf(name: string): string {
  return name.toLowerCase().replace(BEFORE, '').replace(BEHIND, '').replace(BEHIND, '');
}

/** As apt reports it: the summary line, and the start of the next line. */
export const aptDescription: Describe = ({ summary, detail }) => cutDescription(`${summary}\n ${detail}`);

/** As rpm reports it to zypper: full sentences with line breaks. */
export const zypperDescription: Describe = ({ summary, detail }) =>
  cutDescription(brokenLines(`${sentence(summary)} ${detail}`));

/** As pacman reports it: one line. */
export const pacmanDescription: Describe = ({ summary }) => cutDescription(sentence(summary).slice(0, -1));

/** dnf's list has no descriptions. */
export const noDescription: Describe = () => '';

/** A description as the agent cuts it. A character that is cut in two becomes a replacement character. */
export function cutDescription(text: string): string {
  const encoded = Buffer.from(text);
  return encoded.length <= DESCRIPTION_BYTES ? text : encoded.subarray(0, DESCRIPTION_BYTES).toString('utf8');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function brokenLines(text: string): string {
  const blank = text.lastIndexOf(' ', LINE_CHARACTERS);
  return blank < 0 || text.length <= LINE_CHARACTERS ? text : `${text.slice(0, blank)}\n${text.slice(blank + 1)}`;
}
