import { Document, isCollection, isMap, isSeq, stringify } from 'yaml';

// What is longer is easier to read with a line for each of its parts; entries of a list stand below each other anyway.
const LONGEST_SECTION = 80;
const LONGEST_ENTRY = 110;

/** A value as it is written within a line. */
export function inLine(value: unknown): string {
  const isScalar = typeof value !== 'object';
  return tight(stringify(value, { lineWidth: 0, ...(!isScalar && { collectionStyle: 'flow' }) }).trim());
}

/** A part of a scenario as it is written in a file: what is short stands within a line, but for the sections around it. */
export function inLines(value: unknown, around = 1): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  spread(document.contents, around);
  return tight(document.toString({ lineWidth: 0 }));
}

/** Gives the parts of a section or list their lines, and the parts of these if they are too long for one. */
function spread(node: unknown, levels: number): void {
  const parts = partsOf(node).filter(isCollection);
  const longest = isSeq(node) ? LONGEST_ENTRY : LONGEST_SECTION;
  const isFlow = levels <= 1 && parts.every((part) => inLine(part).length <= longest);
  for (const part of parts) {
    part.flow = isFlow;
    if (!isFlow) spread(part, levels - 1);
  }
}

function partsOf(node: unknown): readonly unknown[] {
  if (isSeq(node)) return node.items;
  return isMap(node) ? node.items.map(({ value }) => value) : [];
}

function tight(text: string): string {
  return text.replaceAll(/\[ (.*?) \]/g, '[$1]');
}
