import { expect, it } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { conditionOf } from '../../../src/engine/conditions.ts';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { identityOf } from '../../../src/wire/agent/identity.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const SCENARIO = `
fleet: { agents: 30, seed: 7, payload: lean }
phases: [{ name: steady, duration: 60s, checkdata: { every: 1s } }]
events: [{ do: disconnect, name: cable, at: 500ms, cohort: 0..4 }]
`;

it('a run reports the state of each agent from any worker while it is in progress, and not before or after', async () => {
  const scenario = scenarioOf(SCENARIO);
  const begun = Promise.withResolvers<void>();
  const run = startRun({ ...ALONE, scenario, workers: 3, resultsFolder: undefined }, (event) => {
    if (event.kind === 'seconds') begun.resolve();
  });
  const { agents } = run;
  await expect(agents.conditions()).rejects.toThrow(UserError);
  await begun.promise;
  const since = (await agents.changes(undefined)).next;
  await expect
    .poll(async () => [...(await agents.conditions())].map((code) => conditionOf(code)?.flags.join(' ')))
    .toEqual(Array.from({ length: 30 }, (_, place) => (place < 5 ? 'offline in-event' : '')));
  const standing = await agents.details(4);
  expect(standing.uuid).toBe(identityOf(7, 4).uuid);
  expect(standing.actions).toMatchObject([{ kind: 'disconnect' }]);
  expect(conditionOf(standing.history.at(-1)?.code ?? 0)?.flags).toEqual(['offline', 'in-event']);
  // This agent was not looked at before.
  await expect
    .poll(async () => (await agents.details(16)).last)
    .toMatchObject({ operation: 'checkdata', outcome: 'ok', serviceMs: expect.any(Number) });
  expect((await agents.details(15)).seen.answer).toBeUndefined();
  await expect.poll(async () => (await agents.details(14)).last?.outcome).toBe('ok');
  // The first look starts following the agent.
  await agents.details(17);
  await expect.poll(async () => (await agents.details(17)).seen.answer?.outcome).toBe('ok');
  const { seen } = await agents.details(17);
  expect(seen.request?.head).toContain('POST');
  expect(seen.request?.body).toContain('"checkdata":{');
  const checkdata = JSON.parse(Buffer.from(await agents.document(17, 'checkdata')).toString());
  expect(checkdata.agent.check_interval).toBe(1);
  await run.addEvent({ event: { ...event(scenario), name: 'more' }, withAgents: false });
  await expect.poll(async () => (await agents.changes(since)).changes.map(({ place }) => place)).toContain(17);
  run.send('stop');
  await run.outcome;
  await expect(agents.conditions()).rejects.toThrow('The fleet is not running');
});

function event({ events }: ReturnType<typeof scenarioOf>) {
  const [first] = events;
  if (first === undefined) throw new Error('there is one');
  return { ...first, cohort: { kind: 'agents', first: 17, last: 17 } as const };
}
