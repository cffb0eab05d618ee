import { expect, it } from 'vitest';
import { writeDocuments } from '../../../src/agent/configuration/write-documents.ts';
import { agentSettingsOf } from '../../../src/scenario/meaning/agent-settings.ts';
import { createDisks } from '../../../src/workers/listening/disks.ts';
import { createProcesses } from '../../../src/workers/listening/processes.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const FIRST = agentSettingsOf(
  scenarioOf(`
fleet: { agents: 2 }
webServer: { listen: "127.20.0.0/24:3333" }
phases: [{ name: asked, duration: 1m }]`),
);

function twoAgents() {
  const told: string[] = [];
  const tell = (what: string) => (agent: number) => void told.push(`${what} ${agent}`);
  const disks = createDisks([], undefined);
  const processes = createProcesses({
    agents: 2,
    disks,
    firstSettings: FIRST,
    webServers: () => ({
      open: async () => {},
      apply: tell('listens'),
      close: tell('closed'),
      listening: () => 0,
      stop: async () => {},
    }),
    engine: () => ({ reload: tell('lives'), down: tell('ended') }),
    wake: () => {},
  });
  return { told, disks, processes };
}

it('a push that is stored only when the host is already down opens no port before the host is back', async () => {
  const { told, disks, processes } = twoAgents();
  processes.begin();
  processes.hostDown(1);
  const { configuration } = writeDocuments({ ...FIRST(1), intervalSeconds: 7 }, 'linux');
  await disks.store(1, { 'config.ini': configuration });
  processes.reload(1);
  expect(told).toEqual(['closed 1', 'closed 1', 'lives 1']);
  processes.hostUp(1);
  expect(told.at(-1)).toBe('listens 1');
  expect(processes.settingsOf(1).intervalSeconds).toBe(7);
});

it('an agent that ended before the start has ended for the engine from the start on', async () => {
  const { told, disks, processes } = twoAgents();
  await disks.store(0, { 'config.ini': '[default]\ninterval = never\n' });
  processes.reload(0);
  expect(told).toEqual(['closed 0']);
  processes.begin();
  expect(told).toEqual(['closed 0', 'closed 0', 'ended 0']);
  expect([...processes.down.keys()]).toEqual([0]);
});
