import { latencyText } from '../../page/browser/texts.js';
import { ask, Refused } from './connection.js';
import { button, element, part, row, show, showFacts } from './elements.js';
import { instantText } from './instants.js';

/** @import { AgentAnswer } from '../answers.d.ts' */

/** A document that is longer is shown to here. */
const MOST_LETTERS = 200_000;

const REFRESH_MS = 2000;

/**
 * One agent, for as long as it is open: who it is, how it has stood, what it said and was told.
 * @param {{ readonly onAct: (cohort: string) => void }} listener
 * @returns {{ open: (index: number) => void }}
 */
export function createAgentView({ onAct }) {
  const section = part('agent', HTMLElement);
  const heading = part('agent-heading', HTMLElement);
  const documentText = part('agent-document', HTMLPreElement);
  const documents = part('agent-documents', HTMLElement);
  /** @type {number | undefined} */
  let opened;
  /** Where the focus was, so that it goes back there. @type {Element | null} */
  let cameFrom = null;

  const refresh = async () => {
    const index = opened;
    if (index === undefined) return;
    try {
      /** @type {AgentAnswer} */
      const agent = await ask(`/api/agents/${index}`);
      if (index === opened) showAgent(heading, agent);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (index === opened) heading.textContent = `Agent ${index}: ${error.message}`;
    }
  };
  const close = () => {
    opened = undefined;
    section.hidden = true;
    if (cameFrom instanceof HTMLElement) cameFrom.focus();
  };
  const tellDocument = async (/** @type {'checkdata' | 'packages'} */ which) => {
    documentText.hidden = false;
    documentText.textContent = '…';
    documentText.ariaLabel = `What it would send now: ${which}`;
    try {
      const told = JSON.stringify(await ask(`/api/agents/${opened}/documents/${which}`), undefined, 2);
      documentText.textContent = told.length > MOST_LETTERS ? `${told.slice(0, MOST_LETTERS)}\n…` : told;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      documentText.textContent = error.message;
    }
  };

  documents.append(
    button('Check data', () => void tellDocument('checkdata')),
    button('Packages', () => void tellDocument('packages')),
  );
  part('agent-close', HTMLButtonElement).addEventListener('click', close);
  part('agent-act', HTMLButtonElement).addEventListener('click', () => onAct(String(opened)));
  section.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });
  setInterval(() => void refresh(), REFRESH_MS);
  return {
    open: (index) => {
      cameFrom = document.activeElement;
      opened = index;
      documentText.hidden = true;
      heading.textContent = `Agent ${index}`;
      section.hidden = false;
      section.scrollIntoView({ block: 'nearest' });
      heading.focus();
      void refresh();
    },
  };
}

/**
 * @param {HTMLElement} heading
 * @param {AgentAnswer} agent
 */
function showAgent(heading, agent) {
  const { index, host, state, flags, circumstances, history, lastExchange } = agent;
  heading.textContent = `Agent ${index}: ${host}`;
  showFacts(part('agent-facts', HTMLDListElement), [
    ['state', [state, ...flags].join(', ')],
    ['host', `${agent.profile}, ${agent.role}`],
    ['address', agent.address],
    ['web server', agent.listen ?? 'none'],
    ['release', agent.version],
    ['uuid', agent.uuid],
    ['done to it', circumstances.length === 0 ? 'nothing' : circumstances.join(', ')],
  ]);
  const rows = [...history]
    .reverse()
    .map((entry) => row([instantText(entry.at), [entry.state, ...entry.flags].join(', ')]));
  show(part('agent-history', HTMLTableSectionElement), rows);
  const exchange = part('agent-exchange', HTMLElement);
  if (lastExchange === null)
    return show(exchange, [element('p', { className: 'note' }, ['Nothing has been sent since it is looked at.'])]);
  const { at, operation, outcome, latencyMs, request, answer } = lastExchange;
  show(exchange, [
    element('p', {}, [`${operation}, ${instantText(at)} UTC: ${outcome} after ${latencyText(latencyMs)}`]),
    element('pre', { tabIndex: 0, ariaLabel: 'Request', role: 'region' }, [request]),
    element('pre', { tabIndex: 0, ariaLabel: 'Answer', role: 'region' }, [answer]),
  ]);
}
