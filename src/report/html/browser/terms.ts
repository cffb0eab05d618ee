const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;

const meanings: ReadonlyMap<string, string> = new Map(
  [...(document.querySelectorAll('[data-words]') as NodeListOf<HTMLElement>)].flatMap((entry) =>
    (entry.dataset.words ?? '').split('\n').map((word) => [word, entry.querySelector('dd')?.textContent ?? '']),
  ),
);

/** The glossary term under the pointer or the focus, in text or in the legend of a chart. */
function termAt(target: EventTarget | null): { element: Element; meaning: string } | undefined {
  const element = target instanceof Element ? target.closest('.term, .u-label') : null;
  const word = element?.textContent?.toLowerCase() ?? '';
  const meaning = meanings.get(word) ?? meanings.get(word.replace(/s$/, ''));
  return element === null || meaning === undefined ? undefined : { element, meaning };
}

function explain({ target }: Event) {
  const term = termAt(target);
  tip.hidden = term === undefined;
  if (term === undefined) return;
  tip.textContent = term.meaning;
  const { left, bottom, top } = term.element.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - width - 8))}px`;
  tip.style.top = `${bottom + height + 8 < innerHeight ? bottom + 4 : top - height - 4}px`;
}

function hide() {
  tip.hidden = true;
}

/** Explains glossary terms on hover, focus and touch. */
export function explainTerms() {
  document.body.append(tip);
  document.addEventListener('pointerover', explain);
  document.addEventListener('focusin', explain);
  document.addEventListener('focusout', hide);
  document.addEventListener('scroll', hide, true);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });
  document.addEventListener('click', (event) => {
    const isTerm = event.target instanceof Element && event.target.closest('.term') !== null;
    if (!isTerm) return hide();
    event.preventDefault();
    explain(event);
  });
}
