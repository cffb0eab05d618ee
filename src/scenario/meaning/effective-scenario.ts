import { parse, Scalar, stringify } from 'yaml';
import { writtenFault } from '../../faults/written.ts';
import { formatDuration } from '../../kernel/units.ts';
import type { Load, LoadModel, Phase } from '../../load/timeline.ts';
import { type Threshold, thresholdSubject } from '../../metrics/judging/thresholds.ts';
import type { ValidityLimits } from '../../metrics/judging/validity.ts';
import { percentOf } from '../../notation/share.ts';
import { writtenListenRange } from '../listen-range.ts';
import { escapeVariables } from '../reading/variables.ts';
import type { EmbeddedTls, Pull, Scenario, Target, TargetTls, WebServer } from '../scenario.ts';
import { writtenIncident } from '../schema/incident.ts';

/**
 * A scenario as a file that reads back as the same scenario, with every default, variable and setting applied and
 * absolute paths. Secrets stay out: the file asks the environment for the API key as MUSTER_API_KEY, for the query of
 * the target's URL as MUSTER_TARGET_QUERY, and for user and password of the agents' web servers as MUSTER_BASIC_AUTH.
 */
export function formatScenario(scenario: Scenario): string {
  return stringify(fileOf(scenario), { lineWidth: 120 });
}

/** The same as plain data. */
export function plainScenario(scenario: Scenario): Record<string, unknown> {
  return parse(formatScenario(scenario)) as Record<string, unknown>;
}

function fileOf(scenario: Scenario): object {
  const { name, description, target, fleet, webServer, incidents, phases, thresholds, validity } = scenario;
  return {
    ...escaped({ name, description }),
    target: {
      url: urlOf(target.url),
      apiKey: secret(target.apiKey === '' ? undefined : 'MUSTER_API_KEY'),
      ...escaped({ allow: target.allow }),
      timeout: formatDuration(target.timeoutMs),
      tls: tlsOf(target.tls),
      ...(target.url === 'embedded' && embeddedOf(target)),
    },
    fleet: {
      agents: fleet.agents,
      seed: fleet.seed,
      profiles: fleet.profiles,
      payload: fleet.payload,
      checks: fleet.checks,
      connections: fleet.connections.kind === 'shared' ? { shared: fleet.connections.size } : 'per-agent',
      sourceAddresses: fleet.sourceAddresses,
      ...escaped({ identities: fleet.identities.kind === 'file' ? fleet.identities.path : 'ephemeral' }),
    },
    ...(webServer !== undefined && { webServer: writtenWebServer(webServer) }),
    machine: { incidents: incidents.map((incident) => escaped(writtenIncident(incident, phases))) },
    phases: phases.map(phaseOf),
    thresholds: Object.fromEntries(bySubject(thresholds)),
    validity: writtenLimits(validity),
  };
}

function tlsOf({ verify, caFile, serve }: TargetTls): object {
  return { ...escaped({ verify, ca: caFile }), serve: serve && writtenServe(serve) };
}

function writtenServe(serve: EmbeddedTls): unknown {
  return serve.kind === 'self_signed' ? 'self-signed' : escaped({ cert: serve.certFile, key: serve.keyFile });
}

function embeddedOf({ dialect, faults, pull }: Target): object {
  return {
    dialect,
    faults: faults.map((fault) => escaped(writtenFault(fault))),
    ...(pull !== undefined && { pull: writtenPull(pull) }),
  };
}

function writtenPull({ everyMs, packagesEveryMs, timeoutMs, concurrency, configFile, configAtMs }: Pull): object {
  return {
    every: formatDuration(everyMs),
    packages: formatDuration(packagesEveryMs),
    timeout: formatDuration(timeoutMs),
    concurrency,
    ...escaped({ config: configFile }),
    configAt: configAtMs === undefined ? undefined : formatDuration(configAtMs),
  };
}

function writtenWebServer({ listen, basicAuth, intervalMs, ...rest }: WebServer): object {
  return {
    listen: writtenListenRange(listen),
    ...rest,
    basicAuth: secret(basicAuth && 'MUSTER_BASIC_AUTH'),
    interval: intervalMs === undefined ? undefined : formatDuration(intervalMs),
  };
}

// What is asked of the environment must not be escaped.
function urlOf(url: string): string {
  const [base = '', ...query] = url.split('?');
  return `${escapeVariables(base)}${query.length === 0 ? '' : '?${MUSTER_TARGET_QUERY}'}`;
}

/** What the environment says under this name, nothing where there is none; quoted, so that it stays a text. */
function secret(variable: string | undefined): Scalar {
  const node = new Scalar(variable === undefined ? '' : `\${${variable}}`);
  node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

function writtenLimits({ schedulingDelayMs, stalledShare, busyShare, collectionShare }: ValidityLimits): object {
  return {
    schedulingDelay: formatDuration(schedulingDelayMs),
    stalled: percentOf(stalledShare),
    workerBusy: percentOf(busyShare),
    garbageCollection: percentOf(collectionShare),
  };
}

function phaseOf({ name, durationMs, excluded, loads }: Phase): object {
  return {
    name,
    duration: formatDuration(durationMs),
    exclude: excluded,
    ...Object.fromEntries(loads.map(({ operation, model }: Load) => [operation, loadOf(model)])),
  };
}

function loadOf(model: LoadModel): object {
  switch (model.kind) {
    case 'rate':
      return { rate: formatRate(model.ratePerSecond) };
    case 'ramp':
      return { rate: `${formatRate(model.fromPerSecond)}..${formatRate(model.toPerSecond)}` };
    case 'concurrency':
      return { concurrency: model.slots };
    case 'cadence':
      return { every: formatDuration(model.everyMs), jitter: model.jitter, first: formatDuration(model.firstMs) };
  }
}

function bySubject(thresholds: readonly Threshold[]): Map<string, string[]> {
  const subjects = new Map<string, string[]>();
  for (const threshold of thresholds) {
    const subject = thresholdSubject(threshold);
    subjects.set(subject, [...(subjects.get(subject) ?? []), threshold.text]);
  }
  return subjects;
}

// Every digit of the number, without an exponent: 60 places hold the smallest rate that can be written.
function formatRate(perSecond: number): string {
  const text = String(perSecond);
  return `${text.includes('e') ? perSecond.toFixed(60).replace(/0+$/, '') : text}/s`;
}

function escaped(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, escapedValue(value)]));
}

function escapedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(escapedValue);
  return typeof value === 'string' ? escapeVariables(value) : value;
}
