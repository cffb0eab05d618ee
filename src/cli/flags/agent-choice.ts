import { UserError } from '../../base/kernel/errors.ts';
import { findingText, quoted } from '../../base/notation/finding.ts';
import { type Cohort, isDrawn, isStatic } from '../../load/cohorts/cohort.ts';
import { chosenBy } from '../../scenario/cohort-members.ts';
import { readCohort } from '../../scenario/events.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { agentIndex } from './common.ts';

/** An agent by its index, or the first one of a cohort. */
export function agentOf(scenario: Scenario, text: string): number {
  const { agents } = scenario.fleet;
  if (/^-?\d+$/.test(text)) return agentIndex(text, agents);
  const isChosen = choiceOf(scenario, 'agent', text);
  for (let agent = 0; agent < agents; agent++) if (isChosen(agent)) return agent;
  throw new UserError(`--agent: expected a cohort with at least one agent, found none in ${JSON.stringify(text)}.`);
}

/** Resolves a cohort from the command line; the name of an event or of a cohort of the scenario selects it. */
export function choiceOf(scenario: Scenario, flag: string, text: string): (agent: number) => boolean {
  const named = [...scenario.events, ...scenario.cohorts];
  const event = named.find(({ name }) => name === text) ?? { name: '', cohort: cohortOf(flag, text) };
  if (!isStatic(event.cohort))
    throw new UserError(`--${flag}: agents have a state only in a run; remove state= from ${quoted(text)}.`);
  if (event.name === '' && isDrawn(event.cohort)) {
    const names = named.map(({ name }) => name).join(', ') || 'none';
    throw new UserError(
      `--${flag}: a share selects different agents for each name; name an event or a cohort of the scenario (${names}) instead of ${quoted(text)}.`,
    );
  }
  return chosenBy(event, scenario.fleet);
}

function cohortOf(flag: string, text: string): Cohort {
  const read = readCohort(text);
  if (read.kind === 'cohort') return read.cohort;
  const { column, ...mistake } = read.mistake;
  throw new UserError(`${findingText({ ...mistake, path: [`--${flag}, column ${column}`], focus: 'value' })}.`);
}
