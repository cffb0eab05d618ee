import { hash32 } from '../../../kernel/random.ts';
import { type Periodic, releasesOf } from '../releases.ts';

/** Languages in which hosts show the names of Apple's own apps. */
export type Language = 'en' | 'de';

/** An entry of the list of apps. Where `~` stands in a text is the newest installed revision; `^` is the system's version. */
export type MacApp = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly releases: Periodic | undefined;
};

/** Lines of `English name | German name | version | description`; `=` is the same name. */
export function appleTable(lines: string, language: Language): readonly MacApp[] {
  return rows(lines).map(([english = '', german = '', version = '', description = '']) => {
    const name = language === 'en' || german === '=' ? english : german;
    return { name, version, description, releases: undefined };
  });
}

/** Names of Apple's helpers, which are the same in all languages; versions follow from the names. */
export function helperList(names: string): readonly MacApp[] {
  return names.split(/\s+/).map((name) => {
    const chance = hash32(0, `macos.helper.${name}`);
    const version = chance % 3 === 0 ? `${1 + (chance % 18)}.${chance % 7}` : '1.0';
    const description = chance % 11 === 0 ? name : '';
    return { name, version, description, releases: undefined };
  });
}

/** Lines of `name | version | description`; versions with a tilde grow with each release. */
export function vendorTable(lines: string): readonly MacApp[] {
  return rows(lines).map(([name = '', version = '', description = '']) => {
    const releases = version.includes('~') ? releasesOf('macos.apps', name) : undefined;
    return { name, version, description, releases };
  });
}

function rows(lines: string): readonly (readonly string[])[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((field) => field.trim()));
}
