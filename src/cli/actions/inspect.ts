import { UserError } from '../../kernel/errors.ts';
import { parseDuration } from '../../kernel/units.ts';
import { differences, differenceText } from '../../report/document-diff.ts';
import { indented, parseExactly } from '../../report/json-text.ts';
import type { DocumentName } from '../flags/documents.ts';
import { loadScenarios } from '../flags/load-scenarios.ts';
import { onlyOne, type ScenarioFlags } from '../flags/scenario.ts';
import { scenarioContext } from '../flags/scenario-context.ts';
import type { Io } from '../io.ts';
import { agentDocument } from './agent-document.ts';

export type InspectFlags = ScenarioFlags & {
  scenario: string;
  agent: string;
  at: string | undefined;
  what: DocumentName;
  pretty: boolean | undefined;
  diff: string | undefined;
};

export async function inspect(flags: InspectFlags, io: Io): Promise<void> {
  const [loaded] = await loadScenarios([flags.scenario], await scenarioContext(flags, io), io);
  if (loaded === undefined) throw new Error('no scenario was loaded');
  const { scenario } = loaded;
  const agent = agentIndex(flags.agent, scenario.fleet.agents);
  const startMs = Date.now();
  const instantMs = instantOf(onlyOne('at', flags.at), startMs);
  const documentAt = (atMs: number): string =>
    agentDocument(scenario, { what: flags.what, agent, instantMs: atMs, startMs });
  const text = documentAt(instantMs);
  if (flags.diff !== undefined) {
    const later = documentAt(instantMs + durationOf(flags.diff));
    const lines = differences(structured(text, flags.what), structured(later, flags.what)).map(differenceText);
    io.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return;
  }
  const pretty = (flags.pretty ?? io.stdout.isTTY === true) && flags.what !== 'config';
  io.stdout.write(pretty ? `${indented(text)}\n` : text);
}

function structured(text: string, what: DocumentName) {
  return what === 'config' ? text : parseExactly(text);
}

function agentIndex(text: string, agents: number): number {
  const index = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (index < agents) return index;
  throw new UserError(`--agent: expected an index from 0 to ${agents - 1}, the agents of this fleet, found ${text}.`);
}

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix milliseconds of `--at`. */
function instantOf(text: string | undefined, nowMs: number): number {
  if (text === undefined) return nowMs;
  const fromNowMs = parseDuration(text);
  if (fromNowMs !== undefined) return nowMs + fromNowMs;
  const instant = ISO_INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(instant)) return instant;
  const expected = 'an instant such as 2026-01-31T12:00:00Z or a time from now such as 5m';
  throw new UserError(`--at: expected ${expected}, found ${JSON.stringify(text)}.`);
}

function durationOf(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new UserError(`--diff: expected a duration such as 30s or 1h, found ${JSON.stringify(text)}.`);
}
