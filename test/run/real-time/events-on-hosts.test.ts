import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ALONE, type Run, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';
import { serve } from './own-server.ts';

const BACK_MS = 300_000;
const INCIDENT_MS = 400;
const AGENTS = 40;

/** The time on an agent's clock when it ran its checks, and the difference from the current time. */
type Reading = { readonly agent: string; readonly clockMs: number; readonly behindMs: number };

/**
 * An agent that pushes late also reads its clock late. The readings, not the pushes, must therefore be before or after the
 * incident, and each agent's last reading must show it: it is from long after the incident.
 */
it('a run applies its incidents at their times to their cohort: clocks are set back once', async () => {
  const readings: Reading[] = [];
  /** Agents with a reading from at least a second after the incident. */
  const seenLater = new Set<string>();
  let incidentMs = Number.POSITIVE_INFINITY;
  const note = (reading: Reading): void => {
    readings.push(reading);
    if (reading.clockMs + (isSetBack(reading) ? BACK_MS : 0) > incidentMs + 1000) seenLater.add(reading.agent);
    if (seenLater.size === AGENTS) run.send('stop');
  };
  const url = await serve(async (request, response) => {
    const { agentuuid, checkdata } = JSON.parse(await text(request));
    if (checkdata !== undefined) note(readingOf(agentuuid, checkdata.agent.last_updated));
    const isNew = request.url?.endsWith('register_agent.json') === true;
    response.writeHead(isNew ? 201 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isNew ? { agentuuid, password: 'issued' } : { received_checks: 1 }));
  });
  const scenario = scenarioOf(`target: { url: "${url}" }
fleet: { agents: ${AGENTS}, payload: lean, profiles: { windows-server-2022: 1 } }
events: [{ do: clock-skew, offset: -5m, at: steady, cohort: 10..19 }]
phases:
  - { name: enroll, register: { rate: 100/s } }
  - { name: steady, duration: 1m, checkdata: { every: 500ms } }`);
  const run: Run = startRun({ ...ALONE, scenario, workers: 2, resultsFolder: undefined }, (event) => {
    if (event.kind === 'started') incidentMs = event.startedAt.getTime() + INCIDENT_MS;
  });
  await run.outcome;

  const setBack = readings.filter(isSetBack);
  expect(new Set(readings.map(({ agent }) => agent)).size).toBe(AGENTS);
  expect(new Set(setBack.map(({ agent }) => agent)).size).toBe(10);
  expect(setBack.filter(({ clockMs }) => clockMs + BACK_MS < incidentMs - ROUNDING_MS - MAX_RUN_MS)).toEqual([]);
  const cohort = new Set(setBack.map(({ agent }) => agent));
  const spared = readings.filter((reading) => cohort.has(reading.agent) && !isSetBack(reading));
  expect(spared.filter(({ clockMs }) => clockMs > incidentMs + ROUNDING_MS)).toEqual([]);
});

/** A document describes its host at the end of a check run, and contains the clock from the start of that run. */
const MAX_RUN_MS = 144;

/** Between the process's monotonic clock and the wall clock time at its start. */
const ROUNDING_MS = 5;

/** The text ends with the offset of the host's time zone. */
function readingOf(agent: string, lastUpdated: string): Reading {
  const [, date, time = '', offset] = /^(\S+) (\S+) ([+-]\d{4})/.exec(lastUpdated) ?? [];
  const clockMs = Date.parse(`${date}T${time.slice(0, 12)}${offset}`);
  return { agent, clockMs, behindMs: Date.now() - clockMs };
}

function isSetBack({ behindMs }: Reading): boolean {
  return behindMs > BACK_MS / 2;
}
