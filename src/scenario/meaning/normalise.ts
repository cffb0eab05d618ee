import { basename, resolve } from 'node:path';
import { faultOf } from '../../faults/schema.ts';
import type { Phase } from '../../load/timeline.ts';
import type { Threshold } from '../../metrics/judging/thresholds.ts';
import { isMeasuredOperation } from '../../protocol/operations.ts';
import type { Connections, EmbeddedTls, Fleet, Identities, Scenario, Target, TargetTls } from '../scenario.ts';
import { incidentOf } from '../schema/incident.ts';
import type { ScenarioFile } from '../schema/scenario-file.ts';
import { type OperationCondition, parseSubject } from '../schema/threshold.ts';
import { withoutUser } from './target-url.ts';
import { timelineOf } from './timeline.ts';

/** Applies the defaults that depend on other values and on where the file lies. */
export function normalise(file: ScenarioFile, absoluteFile: string): Scenario {
  const folder = resolve(absoluteFile, '..');
  const phases = timelineOf(file.phases, file.fleet.agents);
  return {
    name: file.name ?? nameFrom(absoluteFile),
    description: file.description.trim(),
    target: targetOf(file.target, folder, phases),
    fleet: fleetOf(file.fleet, folder),
    incidents: file.machine.incidents.map((incident) => incidentOf(incident, phases)),
    phases,
    thresholds: thresholdsOf(file.thresholds),
  };
}

function targetOf(
  { url, timeout, tls, faults, ...rest }: ScenarioFile['target'],
  folder: string,
  phases: readonly Phase[],
): Target {
  return {
    ...rest,
    url: withoutUser(url),
    timeoutMs: timeout,
    tls: tlsOf(tls, folder),
    faults: faults.map((fault) => faultOf(fault, phases)),
  };
}

function tlsOf({ verify, ca, serve }: ScenarioFile['target']['tls'], folder: string): TargetTls {
  return {
    verify,
    caFile: ca === undefined ? undefined : resolve(folder, ca),
    serve: serve && embeddedTlsOf(serve, folder),
  };
}

function embeddedTlsOf(serve: 'self-signed' | { cert: string; key: string }, folder: string): EmbeddedTls {
  if (serve === 'self-signed') return { kind: 'self_signed' };
  return { kind: 'files', certFile: resolve(folder, serve.cert), keyFile: resolve(folder, serve.key) };
}

function fleetOf({ profiles, connections, identities, ...rest }: ScenarioFile['fleet'], folder: string): Fleet {
  return {
    ...rest,
    profiles: Object.fromEntries(Object.entries(profiles).map(([name, weight = 0]) => [name, weight])),
    connections: connectionsOf(connections),
    identities: identitiesOf(identities, folder),
  };
}

function connectionsOf(connections: ScenarioFile['fleet']['connections']): Connections {
  return connections === 'per-agent' ? { kind: 'per-agent' } : { kind: 'shared', size: connections.shared };
}

function identitiesOf(identities: string, folder: string): Identities {
  return identities === 'ephemeral' ? { kind: 'ephemeral' } : { kind: 'file', path: resolve(folder, identities) };
}

function thresholdsOf({ delivery = [], ...operations }: ScenarioFile['thresholds']): readonly Threshold[] {
  return [
    ...Object.entries(operations).flatMap(([key, conditions]) => operationThresholds(key, conditions)),
    ...delivery,
  ];
}

function operationThresholds(key: string, conditions: readonly OperationCondition[]): readonly Threshold[] {
  const subject = parseSubject(key);
  if (subject === undefined || !isMeasuredOperation(subject.operation))
    throw new Error(`the checks let threshold ${key} pass`);
  const { operation, phase } = subject;
  return conditions.map((condition) => ({ operation, phase, ...condition }));
}

/** A name that is fit for a folder, from `scenarios/steady.yaml`: `steady`. */
function nameFrom(file: string): string {
  const stem = basename(file).replace(/\.ya?ml$/i, '');
  return stem.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9_]+$/g, '') || 'scenario';
}
