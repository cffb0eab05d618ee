import { counted } from '../../../ground/kernel/units.ts';
import { element, part, whenQuiet } from '../../../report/page/browser/elements.ts';
import { exactCount } from '../../../report/page/figures.ts';
import type { AgentSummary, DoneAnswer } from '../../control-api/schemas.ts';
import type { EventField, EventKind } from '../page-data.ts';
import { ask, Refused } from './connection.ts';

const KINDS: readonly EventKind[] = JSON.parse(document.getElementById('event-kinds')?.textContent ?? '[]');

/** Waits for a pause in typing. */
const QUIET_MS = 300;

/** Maximum number of hosts in a preview. */
const NAMED = 5;

/** The form for acting on agents. Before an action can be submitted, the process previews which agents it would hit. */
export function offerActions({
  onPreview,
  onDone,
}: {
  readonly onPreview: (agents: readonly AgentSummary[]) => void;
  readonly onDone: () => void;
}) {
  const form = part('action', HTMLFormElement);
  const select = part('action-kind', HTMLSelectElement);
  const cohort = part('action-cohort', HTMLInputElement);
  const lasting = part('action-for', HTMLInputElement);
  const preview = part('action-preview', HTMLOutputElement);
  const submit = part('action-submit', HTMLButtonElement);
  const means = part('action-means', HTMLElement);
  const fields = part('action-fields', HTMLElement);
  /** The previewed event. */
  let previewed = '';
  let asking = new AbortController();

  const kind = () => KINDS.find(({ name }) => name === select.value) ?? KINDS[0];
  const entry = () => ({
    do: select.value,
    cohort: cohort.value.trim(),
    ...(kind()?.lasts && lasting.value.trim() !== '' && { for: lasting.value.trim() }),
    ...writtenFields(fields),
  });
  const showPreview = (text: string, look: 'good' | 'bad' | 'plain') => {
    preview.className = look;
    preview.textContent = text;
  };
  const isReady = (wanted: string) => {
    previewed = wanted;
    submit.disabled = wanted === '';
  };
  const isLacking = () => cohort.value.trim() === '' || [...fields.querySelectorAll(':invalid')].length > 0;
  const look = async () => {
    if (isLacking()) {
      onPreview([]);
      return showPreview('Select agents and fill in the fields with a star.', 'plain');
    }
    const wanted = JSON.stringify(entry());
    try {
      const { hits } = await ask<DoneAnswer>('/api/v1/events?dryRun=true', {
        method: 'POST',
        body: entry(),
        signal: asking.signal,
      });
      showPreview(hitsText(hits), 'good');
      onPreview(hits.agents);
      isReady(wanted);
    } catch (error) {
      if (!(error instanceof Refused)) return;
      onPreview([]);
      showPreview(error.message, 'bad');
    }
  };
  const lookSoon = whenQuiet(QUIET_MS, () => void look());
  const changed = () => {
    // An answer about the previous event would enable the button for a moment.
    asking.abort();
    asking = new AbortController();
    isReady('');
    showPreview('…', 'plain');
    lookSoon();
  };
  const choose = () => {
    const chosen = kind();
    means.textContent = chosen?.means ?? '';
    fields.replaceChildren(...(chosen?.fields ?? []).map(fieldElement));
    part('action-lasting', HTMLElement).hidden = !chosen?.lasts;
    changed();
  };
  const act = async () => {
    const wanted = JSON.stringify(entry());
    if (wanted !== previewed) return;
    // Disabling the button would move the focus to the start of the page.
    preview.focus();
    isReady('');
    try {
      const { event, hits } = await ask<DoneAnswer>('/api/v1/events', { method: 'POST', body: entry() });
      showPreview(`${event.name}: done. ${hitsText(hits)}`, 'good');
      onPreview([]);
      onDone();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      showPreview(error.message, 'bad');
    }
  };

  select.replaceChildren(...KINDS.map(({ name }) => new Option(name, name)));
  select.value = 'restart';
  select.addEventListener('change', choose);
  form.addEventListener('input', ({ target }) => {
    if (target !== select) changed();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void act();
  });
  choose();
  return {
    setCohort: (text: string) => {
      cohort.value = text;
      changed();
      cohort.focus();
    },
  };
}

/** The keys of the event that were filled in. */
function writtenFields(fields: HTMLElement) {
  const inputs = [...fields.querySelectorAll('input, select')].filter(
    (input) => input instanceof HTMLInputElement || input instanceof HTMLSelectElement,
  );
  const written = inputs.filter(({ value }) => value.trim() !== '').map((input) => [input.name, writtenValue(input)]);
  return Object.fromEntries(written);
}

function writtenValue({ value, dataset }: HTMLInputElement | HTMLSelectElement) {
  return dataset.number === undefined || !/^\d+(\.\d+)?$/.test(value.trim()) ? value.trim() : Number(value);
}

function fieldElement({ name, means, isRequired, choices, isNumber, example }: EventField) {
  const id = `action-field-${name}`;
  const own = { id, name, required: isRequired };
  const input =
    choices.length === 0
      ? element('input', { ...own, placeholder: example === '' ? '' : `such as ${example}`, autocomplete: 'off' })
      : element(
          'select',
          own,
          [...(isRequired ? [] : ['']), ...choices].map((choice) => new Option(choice, choice)),
        );
  if (isNumber) input.dataset.number = '';
  input.setAttribute('aria-describedby', `${id}-means`);
  return element('div', { className: 'field' }, [
    element('label', { htmlFor: id }, [`${name}${isRequired ? ' *' : ''}`]),
    input,
    element('p', { className: 'note', id: `${id}-means` }, [means]),
  ]);
}

function hitsText({ count, agents, isFinal }: DoneAnswer['hits']): string {
  if (count === 0) return `It hits no agents${isFinal ? '' : ' in their current states'}.`;
  const names = agents.slice(0, NAMED).map(({ host }) => host);
  const more = count - names.length;
  const others = more <= 0 ? '' : ` and ${exactCount(more)} more`;
  const later = isFinal ? '' : ' The event selects its agents again when it starts.';
  return `It hits ${counted(count, 'agent', exactCount(count))}: ${names.join(', ')}${others}.${later}`;
}
