/** Values by section and key, both in the spelling of the file and in its order. */
export type IniSections = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Where keys belong that stand before the first section. */
export const UNNAMED_SECTION = 'DEFAULT';

/** What the agent makes of sections: dots in a name are steps into a tree, and all names are in lower case. */
export type IniTree = ReadonlyMap<string, string | IniTree>;

type Branch = Map<string, string | Branch>;

// No key that the agent knows has more steps; of what lies deeper it only counts that something is there.
const MAX_STEPS = 3;

export function iniTree(sections: IniSections): IniTree {
  const root: Branch = new Map();
  for (const [section, entries] of sections) {
    for (const [key, value] of entries) branchAt(root, section.split('.', MAX_STEPS)).set(key, value);
  }
  return inLowerCase(root);
}

function branchAt(root: Branch, path: readonly string[]): Branch {
  let branch = root;
  for (const name of path) {
    const found = branch.get(name);
    const next: Branch = found instanceof Map ? found : new Map();
    branch.set(name, next);
    branch = next;
  }
  return branch;
}

function inLowerCase(branch: Branch): IniTree {
  const tree = new Map<string, string | IniTree>();
  for (const [name, value] of branch) {
    const key = name.toLowerCase();
    // A name with capitals takes the place of the one without, wherever the two stand, and a whole section does.
    if (name === key && tree.has(key)) continue;
    tree.set(key, typeof value === 'string' ? value : inLowerCase(value));
  }
  return tree;
}
