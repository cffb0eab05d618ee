import { describe, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type {
  agentSchema,
  cohortSchema,
  doneSchema,
  eventsSchema,
  figuresSchema,
  fleetSchema,
  hostSchema,
  statesAnswerSchema,
} from '../../../src/staging/control-api/schemas.ts';
import type {
  AgentAnswer,
  CohortAnswer,
  DoneAnswer,
  EventAnswer,
  FiguresAnswer,
  FleetAnswer,
  HostAnswer,
  StatesAnswer,
} from '../../../src/staging/dashboard/answers.ts';

// `npm run types` checks these claims.
describe('the types that the page reads', () => {
  it('accept what the control API answers', () => {
    expectTypeOf<z.output<typeof fleetSchema>>().toExtend<FleetAnswer>();
    expectTypeOf<z.output<typeof statesAnswerSchema>>().toExtend<StatesAnswer>();
    expectTypeOf<z.output<typeof cohortSchema>>().toExtend<CohortAnswer>();
    expectTypeOf<z.output<typeof eventsSchema>['events'][number]>().toExtend<EventAnswer>();
    expectTypeOf<z.output<typeof doneSchema>>().toExtend<DoneAnswer>();
    expectTypeOf<z.output<typeof figuresSchema>['rows'][number]>().toExtend<FiguresAnswer>();
    expectTypeOf<z.output<typeof agentSchema>>().toExtend<AgentAnswer>();
    expectTypeOf<z.output<typeof hostSchema>>().toExtend<HostAnswer>();
  });
});
