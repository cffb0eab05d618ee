import { counted } from '../../../base/kernel/units.ts';
import { element, part, whenQuiet } from '../../../report/page/browser/elements.ts';
import { exactCount } from '../../../report/page/figures.ts';
import type { AgentSummary, DoneAnswer } from '../../control-api/schemas.ts';
import type { EventField, EventKind } from '../page-data.ts';
import { Refused, requestJson } from './connection.ts';

const KINDS: readonly EventKind[] = JSON.parse(document.getElementById('event-kinds')?.textContent ?? '[]');

/** Waits for a pause in typing. */
const PREVIEW_AFTER_MS = 300;

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
  const decision = decisionView();
  let asking = new AbortController();
  const look = async () => {
    if (form.isLacking()) {
      onPreview([]);
      return decision.show('Select agents and fill in the fields with a star.', 'plain');
    }
    const wanted = JSON.stringify(form.entry());
    try {
      const { hits } = await post('/api/v1/events?dryRun=true', form.entry(), asking.signal);
      decision.show(hitsText(hits), 'good');
      onPreview(hits.agents);
      decision.offer(wanted);
    } catch (error) {
      if (!(error instanceof Refused)) return;
      onPreview([]);
      decision.show(error.message, 'bad');
    }
  };
  const lookSoon = whenQuiet(PREVIEW_AFTER_MS, () => void look());
  const act = async () => {
    if (!decision.isOffered(JSON.stringify(form.entry()))) return;
    // Disabling the button would move the focus to the start of the page.
    decision.focus();
    decision.offer('');
    try {
      const { event, hits } = await post('/api/v1/events', form.entry());
      decision.show(`${event.name}: done. ${hitsText(hits)}`, 'good');
      onPreview([]);
      onDone();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      decision.show(error.message, 'bad');
    }
  };
  const changed = () => {
    // An answer about the previous event would enable the button for a moment.
    asking.abort();
    asking = new AbortController();
    decision.offer('');
    decision.show('…', 'plain');
    lookSoon();
  };
  const form = eventForm(changed, () => void act());
  changed();
  return { setCohort: form.setCohort };
}

/** The preview of an event, and the button that starts it. */
function decisionView() {
  const preview = part('action-preview', HTMLOutputElement);
  const submit = part('action-submit', HTMLButtonElement);
  let offered = '';
  return {
    show: (text: string, look: 'good' | 'bad' | 'plain') => {
      preview.className = look;
      preview.textContent = text;
    },
    /** Enables the button for this event only; an empty text disables it. */
    offer: (event: string) => {
      offered = event;
      submit.disabled = event === '';
    },
    isOffered: (event: string) => event === offered,
    focus: () => preview.focus(),
  };
}

function post(path: string, body: object, signal?: AbortSignal): Promise<DoneAnswer> {
  return requestJson(path, { method: 'POST', body, ...(signal !== undefined && { signal }) });
}

/** The fields of an event, which differ by its kind. */
function eventForm(onChange: () => void, onSubmit: () => void) {
  const form = part('action', HTMLFormElement);
  const select = part('action-kind', HTMLSelectElement);
  const cohort = part('action-cohort', HTMLInputElement);
  const lasting = part('action-for', HTMLInputElement);
  const fields = part('action-fields', HTMLElement);
  const kind = () => KINDS.find(({ name }) => name === select.value) ?? KINDS[0];
  const showKind = () => {
    const chosen = kind();
    part('action-means', HTMLElement).textContent = chosen?.means ?? '';
    fields.replaceChildren(...(chosen?.fields ?? []).map(fieldElement));
    part('action-lasting', HTMLElement).hidden = !chosen?.lasts;
  };
  select.replaceChildren(...KINDS.map(({ name }) => new Option(name, name)));
  select.value = 'restart';
  showKind();
  select.addEventListener('change', () => {
    showKind();
    onChange();
  });
  form.addEventListener('input', ({ target }) => {
    if (target !== select) onChange();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onSubmit();
  });
  return {
    entry: () => ({
      do: select.value,
      cohort: cohort.value.trim(),
      ...(kind()?.lasts && lasting.value.trim() !== '' && { for: lasting.value.trim() }),
      ...fieldValues(fields),
    }),
    isLacking: () => cohort.value.trim() === '' || fields.querySelector(':invalid') !== null,
    setCohort: (text: string) => {
      cohort.value = text;
      onChange();
      cohort.focus();
    },
  };
}

/** The keys of the event that were filled in. */
function fieldValues(fields: HTMLElement) {
  const inputs = [...fields.querySelectorAll('input, select')].filter(
    (input) => input instanceof HTMLInputElement || input instanceof HTMLSelectElement,
  );
  const written = inputs.filter(({ value }) => value.trim() !== '').map((input) => [input.name, fieldValue(input)]);
  return Object.fromEntries(written);
}

function fieldValue({ value, dataset }: HTMLInputElement | HTMLSelectElement) {
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
