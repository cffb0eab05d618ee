import { expect, it } from 'vitest';
import { formatScenario } from '../../../src/scenario/file.ts';
import { parseScenario } from '../../../src/scenario/reading/parse.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import { compareEdit } from '../../../src/staging/fleet/edited-scenario.ts';
import { HOST_DATA } from '../../hosts/host-data.ts';
import { recordingOf } from '../../hosts/recorded/recorded-fleets.ts';

const HOSTS = { ...recordingOf('debian-12'), hash: '0'.repeat(64) };

function scenarioOf(agents: number, folder = 'hosts'): Scenario {
  const text = `name: s
target: { url: embedded }
fleet: { agents: ${agents}, hosts: [{ weight: 1, profile: "recording:./${folder}" }], identities: agents.db }
phases: [{ name: steady, duration: 2d, checkdata: { every: 30s } }]
`;
  const context = { environment: {}, settings: [], hostData: HOST_DATA, readRecording: () => HOSTS };
  const read = parseScenario({ file: '/work/s.yaml', text }, context);
  if (read.kind === 'problems') throw new Error(JSON.stringify(read.problems));
  return read.scenario;
}

it('a fleet of recorded hosts keeps its recording when its scenario is edited, and accepts no other', () => {
  const scenario = scenarioOf(10);
  const running = { scenario, events: [], identities: '/work/agents.db', entries: [], elapsedMs: 1000 };
  const sent = (edited: Scenario) => ({ text: formatScenario(edited), secrets: {}, file: 's.yaml' });
  const { scenario: edited, changes } = compareEdit(sent(scenarioOf(12)), running);
  expect(edited.fleet.recordings).toEqual({ 'recording:/work/hosts': HOSTS });
  expect(changes.refused).toEqual([]);
  expect(() => compareEdit(sent(scenarioOf(12, 'others')), running)).toThrow(
    /a recording that the fleet was not started with/,
  );
});
