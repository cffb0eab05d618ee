/** Creates an element with properties and children. Strings always become text and never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<Omit<HTMLElementTagNameMap[Name], 'style' | 'children'>>,
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Finds an element of the page. */
export function part<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} called ${id}`);
  return found;
}

/**
 * Replaces the children of an element, unless they are equal, so that unchanged text stays selected. The focus stays on the element
 * with the same name.
 */
export function showChildren(parent: HTMLElement, children: readonly HTMLElement[]) {
  const isSame =
    parent.children.length === children.length &&
    children.every((child, index) => parent.children[index]?.outerHTML === child.outerHTML);
  if (isSame) return;
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  parent.replaceChildren(...children);
  if (focused === null) return;
  const nameOf = ({ ariaLabel, textContent }: Element) => ariaLabel ?? textContent;
  const again = [...parent.querySelectorAll(focused.localName)].find((other) => nameOf(other) === nameOf(focused));
  if (again instanceof HTMLElement) again.focus();
}

/** Shows names and values in a `dl`. */
export function showFacts(list: HTMLElement, facts: readonly (readonly [name: string, value: string])[]) {
  const shown = facts.map(([name, value]) =>
    element('div', {}, [element('dt', {}, [name]), element('dd', {}, [value])]),
  );
  showChildren(list, shown);
}

/** A table row; the first cell is its header. */
export function row([name = '', ...cells]: readonly (Node | string)[]): HTMLTableRowElement {
  return element('tr', {}, [
    element('th', { scope: 'row' }, [name]),
    ...cells.map((cell) => element('td', {}, [cell])),
  ]);
}

export function button(text: string, act: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, [text]);
  made.addEventListener('click', act);
  return made;
}

/** Debounces `act`: calls it once there were no calls for `quietMs`. */
export function whenQuiet(quietMs: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, quietMs);
  };
}

/** Current value of a color in the style sheet, which differs between light, dark and print. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
