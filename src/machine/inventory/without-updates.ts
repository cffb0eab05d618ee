import { isSlotted, type Node, SLOT } from '../document/nodes.ts';
import { LISTS } from './software.ts';

type Members = { readonly [key: string]: Node };

const NO_UPDATES = Object.fromEntries(LISTS.filter((name) => name.endsWith('Updates')).map((name) => [name, []]));

/** The package document of an agent that does not look for updates. */
export function documentWithoutUpdates(document: Node): Node {
  return { ...(withoutCounts(document) as Members), ...NO_UPDATES };
}

/** The check `packagemanager` of such an agent: one of several forms. */
export function checkWithoutUpdates(check: Node | undefined): Node {
  if (typeof check !== 'object' || check === null || !isSlotted(check) || check[SLOT] !== 'either') {
    throw new Error('the check of packages has other forms than were looked for');
  }
  return { ...check, forms: check.forms.map(withoutCounts) };
}

function withoutCounts(node: Node): Node {
  const members = node as Members;
  // Members keep their order.
  return { ...members, Stats: { ...(members.Stats as Members), UpgradablePackages: 0, SecurityUpdates: 0 } };
}
