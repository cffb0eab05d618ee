import { UserError } from '../../kernel/errors.ts';
import { type IniSections, UNNAMED_SECTION } from './ini-sections.ts';

// The agent stops here; what refers to itself would go on for ever.
const MAX_STEPS = 99;
// Of all values of a document together. One that doubles with each step ends a real agent for want of memory.
const MAX_CHARACTERS = 16 * 1024 * 1024;

// Of a section's name; a name of millions of dots must not stop everything else.
const MAX_ANCESTORS = 20;

type Place = { readonly section: string; readonly key: string };

/**
 * Puts the values of other keys where `%(key)s` stands; the spelling of the key counts.
 * @throws UserError if the values grow beyond all measure.
 */
export function interpolate(sections: IniSections, file: string): IniSections {
  let left = MAX_CHARACTERS;
  const valueAt = (place: Place, value: string): string => {
    let text = value;
    for (let step = 0; step < MAX_STEPS; step++) {
      const name = firstReference(text);
      const replacement = name === undefined ? undefined : referred(sections, place, name);
      if (replacement === undefined) return text;
      const parts = text.split(`%(${name})s`);
      left -= text.length + parts.length * replacement.length;
      if (left < 0) refuse(file, place);
      text = parts.join(replacement);
    }
    return text;
  };
  const entriesOf = (section: string, entries: ReadonlyMap<string, string>) =>
    new Map(Array.from(entries, ([key, value]) => [key, valueAt({ section, key }, value)]));
  return new Map(Array.from(sections, ([section, entries]) => [section, entriesOf(section, entries)]));
}

/** The name in the first reference. A regular expression would take quadratic time over many that are never closed. */
function firstReference(text: string): string | undefined {
  for (let start = text.indexOf('%('); start >= 0; ) {
    const end = text.indexOf(')', start);
    if (end < 0) return undefined;
    if (end > start + 2 && text.charAt(end + 1) === 's') return text.slice(start + 2, end);
    start = text.indexOf('%(', end);
  }
  return undefined;
}

/** From the same section, those whose names it continues behind a dot, or the unnamed one; not from the key itself. */
function referred(sections: IniSections, { section, key }: Place, name: string): string | undefined {
  let place = section;
  for (let step = 0; step < MAX_ANCESTORS && place !== ''; step++) {
    const value = sections.get(place)?.get(name);
    if (value !== undefined && (place !== section || name !== key)) return value;
    if (value !== undefined) break;
    place = place.slice(0, Math.max(0, place.lastIndexOf('.')));
  }
  return sections.get(UNNAMED_SECTION)?.get(name);
}

function refuse(file: string, { section, key }: Place): never {
  throw new UserError(`${file}: [${section}] ${key}: expected a value that fits into memory, found one that grows on.`);
}
