import { basename, resolve } from 'node:path';
import { faultOf } from '../../faults/schema.ts';
import type { Phase } from '../../load/timeline.ts';
import type { Threshold } from '../../metrics/judging/thresholds.ts';
import type { ValidityLimits } from '../../metrics/judging/validity.ts';
import { instantOf } from '../../notation/instant.ts';
import { isMeasuredOperation } from '../../protocol/operations.ts';
import type {
  BasicAuth,
  Connections,
  EmbeddedTls,
  Fleet,
  Identities,
  Pull,
  Scenario,
  Target,
  TargetTls,
  WebServer,
} from '../scenario.ts';
import { incidentOf } from '../schema/incident.ts';
import type { ScenarioFile } from '../schema/scenario-file.ts';
import { type OperationCondition, parseSubject } from '../schema/threshold.ts';
import { DEFAULT_INTERVAL_SECONDS } from './machine-fleet.ts';
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
    webServer: file.webServer && webServerOf(file.webServer, phases),
    incidents: file.machine.incidents.map((incident) => incidentOf(incident, phases)),
    phases,
    thresholds: thresholdsOf(file.thresholds),
    validity: limitsOf(file.validity),
  };
}

function targetOf(
  { url, timeout, tls, faults, pull, ...rest }: ScenarioFile['target'],
  folder: string,
  phases: readonly Phase[],
): Target {
  return {
    ...rest,
    url: withoutUser(url),
    timeoutMs: timeout,
    tls: tlsOf(tls, folder),
    faults: faults.map((fault) => faultOf(fault, phases)),
    pull: pull && pullOf(pull, folder, phases),
  };
}

function pullOf(
  { every, packages, timeout, concurrency, config, configAt }: NonNullable<ScenarioFile['target']['pull']>,
  folder: string,
  phases: readonly Phase[],
): Pull {
  return {
    everyMs: every,
    packagesEveryMs: packages,
    timeoutMs: timeout,
    concurrency,
    configFile: config === undefined ? undefined : resolve(folder, config),
    configAtMs: configAt && instantOf(configAt, phases),
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

function webServerOf(
  { basicAuth, interval, ...rest }: NonNullable<ScenarioFile['webServer']>,
  phases: readonly Phase[],
): WebServer {
  const isPushed = phases.some(({ loads }) => loads.length > 0);
  return {
    ...rest,
    basicAuth: basicAuthOf(basicAuth),
    intervalMs: isPushed ? undefined : (interval ?? DEFAULT_INTERVAL_SECONDS * 1000),
  };
}

/** Split at the first colon, as the agent does. */
function basicAuthOf(text: string): BasicAuth | undefined {
  if (text === '') return undefined;
  const [user = '', ...password] = text.split(':');
  return { user, password: password.join(':') };
}

function connectionsOf(connections: ScenarioFile['fleet']['connections']): Connections {
  return connections === 'per-agent' ? { kind: 'per-agent' } : { kind: 'shared', size: connections.shared };
}

function identitiesOf(identities: string, folder: string): Identities {
  return identities === 'ephemeral' ? { kind: 'ephemeral' } : { kind: 'file', path: resolve(folder, identities) };
}

function limitsOf(limits: ScenarioFile['validity']): ValidityLimits {
  const { schedulingDelay, stalled, workerBusy, garbageCollection } = limits;
  return {
    schedulingDelayMs: schedulingDelay,
    stalledShare: stalled,
    busyShare: workerBusy,
    collectionShare: garbageCollection,
  };
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
