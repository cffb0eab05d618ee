import { UserError } from '../../kernel/errors.ts';
import { CONFIG_KEYS, RETIRED_KEYS } from './config-keys.ts';
import { readIni } from './ini.ts';
import { type IniTree, iniTree } from './ini-sections.ts';
import { type Keys, readKeys, type Values } from './keys.ts';

export const CONFIG_FILE = 'config.ini';

/** Every key of config.ini by section, read or by default. */
export type ConfigValues = { readonly [Section in keyof typeof CONFIG_KEYS]: Values<(typeof CONFIG_KEYS)[Section]> };

/** @throws UserError where the agent would give up on the file. */
export function readConfigValues(document: string): ConfigValues {
  const tree = iniTree(readIni(document, CONFIG_FILE));
  refuseNamesTakenTwice(tree);
  const read = <K extends Keys>(name: string, keys: K): Values<K> => {
    const section = tree.get(name) ?? new Map();
    return typeof section === 'string'
      ? readKeys(keys, new Map(), '')
      : readKeys(keys, section, `${CONFIG_FILE}: [${name}]`);
  };
  read('default', RETIRED_KEYS);
  return {
    default: read('default', CONFIG_KEYS.default),
    oitc: read('oitc', CONFIG_KEYS.oitc),
    prometheus: read('prometheus', CONFIG_KEYS.prometheus),
    packagemanager: read('packagemanager', CONFIG_KEYS.packagemanager),
  };
}

// The agent reads the whole file and its section [default] into one structure: a name is a key or a section.
function refuseNamesTakenTwice(tree: IniTree): void {
  const section = Object.keys({ ...CONFIG_KEYS.default, ...RETIRED_KEYS }).find((name) => tree.has(name));
  if (section !== undefined) {
    throw new UserError(`${CONFIG_FILE}: [${section}]: expected no section with the name of a key of [default].`);
  }
  const defaults = tree.get('default') ?? '';
  const key = Object.keys(CONFIG_KEYS).find(
    (name) => typeof defaults !== 'string' && typeof defaults.get(name) === 'string',
  );
  if (key !== undefined) {
    throw new UserError(`${CONFIG_FILE}: [default] ${key}: expected no key with the name of a section.`);
  }
}
