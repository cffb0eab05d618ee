import { describe, expect, it } from 'vitest';
import { WHOLE_FLEET } from '../../src/load/shard.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { RESULT_SCHEMA_VERSION, type Summary } from '../../src/metrics/summary/summary-schema.ts';
import { summaryOf } from '../../src/results/conclusion.ts';
import { deliveryOf, environmentOf, runEndOf } from '../../src/run/conclusion.ts';
import type { ControlEnd } from '../../src/run/control.ts';
import type { DownAgent } from '../../src/workers/messages.ts';
import { recordingOf, stateAt } from '../metrics/recordings.ts';
import { SMALLEST, scenarioOf, withPhases } from '../scenario/read-scenario.ts';

const LISTENING = `${withPhases('  - { name: steady, duration: 10s }')}\nwebServer: { listen: 127.20.0.0/16:3333 }`;
const NOTHING = { sent: new Uint32Array(), acknowledged: new Uint32Array(), refused: new Uint32Array(), assumed: [] };

const host = (agent: number): DownAgent => ({ agent, hostName: `host-${agent}`, reason: 'its key is gone' });

function concluded(text: string, down: readonly (readonly DownAgent[])[]): Summary {
  return concludedFrom(text, controlEnd(down));
}

function concludedFrom(text: string, end: ControlEnd): Summary {
  const scenario = scenarioOf(text);
  const start = { schemaVersion: RESULT_SCHEMA_VERSION, runId: 'run', startedAt: end.startedAt.toISOString() } as const;
  const known = { start: { ...start, environment: environmentOf(2) }, end: runEndOf(scenario, end, WITNESSES) };
  return summaryOf(scenario, end.recording, known);
}

function controlEnd(down: readonly (readonly DownAgent[])[]): ControlEnd {
  const frames = down.map((agents, shard) =>
    createRecorder().takeFrame(stateAt(0, { shard, listening: 50 - agents.length, down: agents.length })),
  );
  const accounts = down.map(
    (agents, shard) => [shard, { delivery: NOTHING, responses: [], events: [], down: agents }] as const,
  );
  return {
    startedAt: new Date(0),
    endedAt: new Date(10_000),
    recording: recordingOf(frames),
    accounts: new Map(accounts),
    reasons: [],
    clockSetMs: 0,
    problem: undefined,
    isChanged: false,
  };
}

const WITNESSES = {
  delivery: { observed: false, reason: 'nobody looked' },
  machine: undefined,
  machines: undefined,
} as const;

describe('the conclusion of a run', () => {
  it.each([
    [-30_000, /^this machine's clock was set back by 30\.0 s during the run; documents keep the time/],
    [2500, /set forward by 2\.5 s/],
  ])('warns if the clock was set by %d ms', (clockSetMs, told) => {
    const end = { ...controlEnd([[]]), clockSetMs };
    expect(runEndOf(scenarioOf(LISTENING), end, WITNESSES).clockSetMs).toBe(clockSetMs);
    expect(concludedFrom(LISTENING, end).warnings).toContainEqual(expect.stringMatching(told));
  });

  it('does not mention a clock that stayed in step', () => {
    const end = { ...controlEnd([[]]), clockSetMs: -900 };
    expect(concludedFrom(LISTENING, end).warnings.join()).not.toContain('clock');
  });

  it('lists the agents of all workers that are down, in the order of their index in the fleet', () => {
    const { webServers } = concluded(LISTENING, [[host(4), host(90)], [host(7)]]);
    expect(webServers).toMatchObject({ listening: 97, downCount: 3 });
    expect(webServers?.down.map((entry) => entry.host)).toEqual(['host-4', 'host-7', 'host-90']);
  });

  it('does not mention web servers if agents do not listen', () => {
    expect(concluded(SMALLEST, [[], []])).not.toHaveProperty('webServers');
  });
});

const silent = async (): Promise<undefined> => undefined;
const column = new Uint32Array(4);
const delivery = { sent: column, acknowledged: column, refused: column, assumed: [] };

describe('an unobserved delivery', () => {
  it.each([
    ['of a foreign target', 1, undefined, 'the target is not the embedded server'],
    ['of a fleet that lost a worker', 2, silent, 'a worker was lost or hung, with the requests of its agents'],
    ['of a server that ended or hung', 1, silent, 'the embedded server exited or hung before the run ended'],
    ['of a changed fleet (others came)', 1, silent, 'the fleet changed while it was running'],
  ] as const)('%s says why', async (what, workers, observe, reason) => {
    const accounts = new Map([[0, { delivery }]]);
    expect(
      await deliveryOf(
        { seed: 1, shard: WHOLE_FLEET, workers, accounts, isChanged: what.includes('others came') },
        { observe },
      ),
    ).toEqual({
      observed: false,
      reason,
    });
  });
});
