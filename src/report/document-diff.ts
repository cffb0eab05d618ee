/** Any JSON value; a number is its own text, so that 64-bit integers and `1.0` stay as they were written. */
type ExactJson = string | boolean | null | ExactNumber | readonly ExactJson[] | { readonly [key: string]: ExactJson };

type ExactNumber = { readonly rawJSON: string };

// Part of the language since ES2025 ("JSON.parse source text access"), not yet of TypeScript's library.
declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown;
  }
}

/** Parses JSON without rounding a number. Throws a SyntaxError if it is none. */
export function parseExactly(text: string): ExactJson {
  return JSON.parse(text, (_key, value: unknown, context) =>
    typeof value === 'number' ? JSON.rawJSON(context.source) : value,
  ) as ExactJson;
}

/** The same document with one member or element a line. */
export function indented(text: string): string {
  return JSON.stringify(parseExactly(text), null, 2);
}

/** True for a number as `parseExactly` gives it. */
function isExactNumber(value: ExactJson): value is ExactNumber {
  return JSON.isRawJSON(value);
}

/** One place where two documents differ; a side that lacks the place has no text. */
type DocumentDifference = {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/**
 * Where two documents differ, in the order of the first one. Elements of lists are matched by what names them, such as
 * a process's pid or a unit's name, and by their place only if nothing does.
 */
export function documentDifferences(
  before: ExactJson | undefined,
  after: ExactJson | undefined,
  path = '',
): DocumentDifference[] {
  const left = childrenOf(before);
  const right = childrenOf(after);
  const alike = Array.isArray(before) === Array.isArray(after);
  if (left === undefined || right === undefined || !alike) return leafDifference(before, after, path);
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].flatMap((key) => documentDifferences(left.get(key), right.get(key), `${path}/${key}`));
}

/** A line for a person: `/cpu/cpu_total_percentage: 3.5 → 4.1`. */
export function differenceText({ path, before, after }: DocumentDifference): string {
  if (before === undefined) return `+ ${path}: ${after}`;
  if (after === undefined) return `- ${path}: ${before}`;
  return `  ${path}: ${before} → ${after}`;
}

function leafDifference(
  before: ExactJson | undefined,
  after: ExactJson | undefined,
  path: string,
): DocumentDifference[] {
  const [left, right] = [textOf(before), textOf(after)];
  return left === right ? [] : [{ path, before: left, after: right }];
}

function textOf(value: ExactJson | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function childrenOf(value: ExactJson | undefined): Map<string, ExactJson> | undefined {
  if (value === undefined || value === null || typeof value !== 'object' || isExactNumber(value)) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const elements = value as readonly ExactJson[];
  const names = elements.map(nameOf);
  const usable = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  return new Map(elements.map((element, index) => [usable ? (names[index] ?? '') : String(index), element]));
}

const NAMING_MEMBERS = ['pid', 'Name', 'Label', 'name', 'label', 'id', 'UpdateID', 'Title'] as const;

function nameOf(element: ExactJson): string | undefined {
  if (element === null || typeof element !== 'object' || Array.isArray(element) || isExactNumber(element))
    return undefined;
  const members = element as { readonly [key: string]: ExactJson };
  const name = NAMING_MEMBERS.map((member) => members[member]).find((value) => value !== undefined);
  if (name !== undefined) return typeof name === 'string' ? name : JSON.stringify(name);
  return members.disk === undefined ? undefined : nameOfDisk(members.disk);
}

function nameOfDisk(disk: ExactJson): string | undefined {
  const mountPoint = (disk as { readonly mountpoint?: ExactJson } | null)?.mountpoint;
  return typeof mountPoint === 'string' ? mountPoint.replaceAll('/', '~') : undefined;
}
