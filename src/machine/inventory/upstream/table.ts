/**
 * Free software that Linux distributions package, each by its own customs: one line is an upstream project, from which a
 * distribution's packaging derives the packages. Names and versions are what they are; the words about them are this
 * project's own. Tables are in the order of importance: short inventories take their beginning.
 */
export type Upstream = { readonly name: string; readonly version: string; readonly about: string };

/** Reads lines of `name | version | about`. */
export function table(lines: string): readonly Upstream[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', version = '', about = ''] = line.split('|').map((field) => field.trim());
      return { name, version, about };
    });
}
