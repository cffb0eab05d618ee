/**
 * Creates an element with properties and children. Strings always become text and never markup.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<Omit<HTMLElementTagNameMap[Name], 'style' | 'children'>>} properties
 * @param {readonly (Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, properties, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/**
 * Finds an element of the page.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function part(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} called ${id}`);
  return found;
}

/**
 * Replaces the children of an element, unless they are equal, so that unchanged text stays selected. The focus stays on the element
 * with the same name.
 * @param {HTMLElement} parent
 * @param {readonly HTMLElement[]} children
 */
export function show(parent, children) {
  const isSame =
    parent.children.length === children.length &&
    children.every((child, index) => parent.children[index]?.outerHTML === child.outerHTML);
  if (isSame) return;
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  parent.replaceChildren(...children);
  if (focused === null) return;
  const nameOf = (/** @type {Element} */ { ariaLabel, textContent }) => ariaLabel ?? textContent;
  const again = [...parent.querySelectorAll(focused.localName)].find((other) => nameOf(other) === nameOf(focused));
  if (again instanceof HTMLElement) again.focus();
}

/**
 * Shows names and values in a `dl`.
 * @param {HTMLElement} list
 * @param {readonly (readonly [name: string, value: string])[]} facts
 */
export function showFacts(list, facts) {
  const shown = facts.map(([name, value]) =>
    element('div', {}, [element('dt', {}, [name]), element('dd', {}, [value])]),
  );
  show(list, shown);
}

/**
 * A table row; the first cell is its header.
 * @param {readonly (Node | string)[]} cells
 * @returns {HTMLTableRowElement}
 */
export function row([name = '', ...cells]) {
  return element('tr', {}, [
    element('th', { scope: 'row' }, [name]),
    ...cells.map((cell) => element('td', {}, [cell])),
  ]);
}

/**
 * @param {string} text
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
export function button(text, act) {
  const made = element('button', { type: 'button' }, [text]);
  made.addEventListener('click', act);
  return made;
}

/**
 * Debounces `act`: calls it once there were no calls for `quietMs`.
 * @param {number} quietMs
 * @param {() => void} act
 * @returns {() => void}
 */
export function whenQuiet(quietMs, act) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, quietMs);
  };
}
