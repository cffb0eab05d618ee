import type { z } from 'zod';
import type * as schemas from '../control-api/schemas.ts';

// Answers of the control API, as types for the script in the browser.

export type FleetAnswer = z.output<typeof schemas.fleetSchema>;
export type StatesAnswer = z.output<typeof schemas.statesAnswerSchema>;
/** Layout of a code: bits that index `states`, and one bit per flag. */
export type Legend = {
  readonly states: readonly string[];
  readonly stateBits: number;
  readonly flags: Readonly<Record<string, number>>;
};
/** What the last exchanges of all agents say. */
export type FleetHealthAnswer = z.output<typeof schemas.agentsHealthSchema>;
export type HealthKindShown = FleetHealthAnswer['kinds'][number];
export type CohortAnswer = z.output<typeof schemas.cohortSchema>;
export type AgentSummaryAnswer = CohortAnswer['agents'][number];
export type EventAnswer = z.output<typeof schemas.eventsSchema>['events'][number];
export type DoneAnswer = z.output<typeof schemas.doneSchema>;
/** Figures of a second, a minute or an hour. */
export type FiguresAnswer = z.output<typeof schemas.figuresSchema>['rows'][number];
export type AgentAnswer = z.output<typeof schemas.agentSchema>;
export type LastOperation = NonNullable<AgentAnswer['last']>;
export type HostAnswer = z.output<typeof schemas.hostSchema>;
export type HostRow = HostAnswer['rows'][number];
/** Changed states: `agents`, and the code of each at the same index. `missed` counts changes beyond the maximum to report. */
export type StatesChanged = {
  readonly agents: readonly number[];
  readonly codes: readonly number[];
  readonly missed: number;
};
