import type { JsonSchema } from '../schema/written-schema.ts';

/** A section of a scenario file, the entries of a list of sections, or sections at several places that are alike. */
export type Section = {
  /** Such as `target.tls` or `phases[].checkdata`. */
  readonly paths: readonly string[];
  /** What is said of it, with its examples; of a list that of the list. */
  readonly about: JsonSchema;
  /** What may stand in it. */
  readonly content: JsonSchema;
};

/** The sections of a scenario file in the order of the file; those of the same title are one. */
export function sectionsOf(scenario: JsonSchema): readonly Section[] {
  const found = within('', scenario);
  const alike = (section: Section) => found.filter((other) => other === section || isAlike(other, section));
  return found
    .filter((section) => alike(section)[0] === section)
    .map((section) => ({ ...section, paths: alike(section).flatMap(({ paths }) => paths) }));
}

function isAlike(a: Section, b: Section): boolean {
  return a.content.title !== undefined && a.content.title === b.content.title;
}

/** The heading that a section stands under. */
export function headingOf({ paths }: Section): string {
  return paths.join(', ');
}

/** Whether it is a section and not a single value, a list of values, or something with a notation of its own. */
export function isSection({ properties, additionalProperties, oneOf }: JsonSchema): boolean {
  return properties !== undefined || typeof additionalProperties === 'object' || oneOf !== undefined;
}

function within(path: string, about: JsonSchema): readonly Section[] {
  const content = about.items ?? about;
  const own: readonly Section[] = isSection(content) && path !== '' ? [{ paths: [path], about, content }] : [];
  return [...own, ...below(content, about.items === undefined ? path : `${path}[]`)];
}

function below(content: JsonSchema, path: string): readonly Section[] {
  if (content.anyOf !== undefined)
    return content.title === undefined ? content.anyOf.flatMap((one) => within(path, one)) : [];
  return Object.entries(content.properties ?? {}).flatMap(([key, child]) =>
    within(path === '' ? key : `${path}.${key}`, child),
  );
}
