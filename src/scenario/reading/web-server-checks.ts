import type { Finding, Path } from '../../notation/finding.ts';
import { quoted } from '../../notation/finding.ts';
import { valueAt } from '../../notation/schema-findings.ts';
import { OPERATIONS } from '../../protocol/operations.ts';
import { type ListenRange, listenersIn, writtenListenRange } from '../listen-range.ts';
import { keysOfPhases, type LegibleFile, on } from './legible-file.ts';

/** What is wrong with web servers and with what is asked of them, beside the fleet and the phases. */
export function webServerFindings(file: LegibleFile, raw: unknown): readonly Finding[] {
  return [...crampedFleet(file), ...idleInterval(raw), ...pullFindings(file, raw)];
}

const LISTEN: Path = ['webServer', 'listen'];

function crampedFleet({ fleet, webServer }: LegibleFile): readonly Finding[] {
  const listen = webServer?.listen;
  const agents = fleet?.agents ?? 0;
  if (listen === undefined || agents <= listenersIn(listen)) return [];
  const found = `${quoted(writtenListenRange(listen))}, which has ${listenersIn(listen)}`;
  return [{ ...on(LISTEN), expected: roomFor(agents, listen), found }];
}

function roomFor(agents: number, { kind }: ListenRange): string {
  if (kind === 'addresses') return `an address for each of ${agents} agents`;
  return `a port up to 65535 for each of ${agents} agents`;
}

/** Agents that push take their interval from the cadence of their check data. */
function idleInterval(raw: unknown): readonly Finding[] {
  if (valueAt(raw, ['webServer', 'interval']) === undefined || !hasLoads(raw)) return [];
  const expected = 'interval only where no phase has a load, as agents that push take it from their check data';
  return [{ ...onKey(['webServer', 'interval']), expected, found: 'it beside a load' }];
}

function pullFindings({ webServer }: LegibleFile, raw: unknown): readonly Finding[] {
  const pull = valueAt(raw, ['target', 'pull']);
  if (pull === undefined) return [];
  const told = (key: string) => valueAt(pull, [key]) !== undefined;
  const missing = (key: Path, expected: string): Finding => ({ ...onKey(key), expected, found: 'none' });
  return [
    ...(valueAt(raw, ['webServer']) === undefined
      ? [missing(['target', 'pull'], 'a section webServer beside pull, as only agents that listen can be pulled')]
      : []),
    ...(told('config') && webServer?.configPush === false
      ? [missing(['target', 'pull', 'config'], 'webServer.configPush: true beside config, else agents refuse it')]
      : []),
    ...(told('configAt') && !told('config')
      ? [missing(['target', 'pull', 'configAt'], 'a config beside configAt, which says when it is told')]
      : []),
  ];
}

function hasLoads(raw: unknown): boolean {
  return keysOfPhases(raw).some((keys = []) => OPERATIONS.some((operation) => keys.includes(operation)));
}

function onKey(path: Path): Pick<Finding, 'path' | 'focus' | 'candidates'> {
  return { path, focus: 'key', candidates: [] };
}
