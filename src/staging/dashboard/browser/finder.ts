import { counted } from '../../../base/kernel/units.ts';
import { element, part, row, showChildren, whenQuiet } from '../../../report/page/browser/elements.ts';
import { exactCount } from '../../../report/page/figures.ts';
import type { AgentSummary, CohortAnswer, HealthKindAnswer } from '../../control-api/schemas.ts';
import { Refused, requestJson } from './connection.ts';

/** Waits for a pause in typing. */
const FIND_AFTER_MS = 300;

const MAX_LISTED = 100;

type FinderListeners = {
  readonly onOpen: (index: number) => void;
  readonly onFound: (agents: readonly AgentSummary[]) => void;
};

/** The field that finds agents by cohort, and the table of those found. */
export function createFinder({ onOpen, onFound }: FinderListeners) {
  const field = part('find', HTMLInputElement);
  const output = part('found', HTMLOutputElement);
  const body = part('found-agents', HTMLTableSectionElement);
  const show = (text: string, agents: readonly AgentSummary[], look: '' | 'bad' = '') => {
    output.className = look;
    output.textContent = text;
    showChildren(body, agents.map(agentRow));
  };
  const find = async () => {
    const cohort = field.value.trim();
    if (cohort === '') {
      show('', []);
      return onFound([]);
    }
    try {
      const { count, agents } = await requestJson<CohortAnswer>(`/api/v1/cohorts?cohort=${encodeURIComponent(cohort)}`);
      show(foundText(count, agents.length), agents);
      onFound(agents);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      show(error.message, [], 'bad');
      onFound([]);
    }
  };
  field.addEventListener(
    'input',
    whenQuiet(FIND_AFTER_MS, () => void find()),
  );
  body.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLElement && target.dataset.agent !== undefined) onOpen(Number(target.dataset.agent));
  });
  return {
    /** Lists the agents of a kind of health, of which there are `count`. */
    showKind: async ({ state, label }: HealthKindAnswer, count: number) => {
      const { agents }: Pick<CohortAnswer, 'agents'> = await requestJson(`/api/v1/agents?health=${state}&limit=1000`);
      const own = agents.filter(({ health }) => health.label === label).slice(0, MAX_LISTED);
      field.value = '';
      show(foundText(count, own.length), own);
      output.focus();
    },
  };
}

function foundText(count: number, listed: number): string {
  const first = listed < count ? `, of which these are the first ${listed}` : '';
  return `${counted(count, 'agent', exactCount(count))}${first}`;
}

function agentRow({ index, host, profile, role, address, state, health, flags }: AgentSummary) {
  const opener = element('button', { type: 'button', className: 'link' }, [host]);
  opener.dataset.agent = String(index);
  return row([opener, String(index), [health.label, state, ...flags].join(', '), profile, role, address]);
}
