import { basename, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import type { z } from 'zod';
import type { Finding } from '../base/notation/finding.ts';
import { writePart } from '../base/notation/parts.ts';
import { anyText, section, textLike } from '../base/notation/section.ts';
import type { HostData } from '../hosts/host-data.ts';
import {
  cohortFindings,
  cohorts,
  cohortsFile,
  cohortsOf,
  idleCohorts,
  isNamed,
  type PartialCohorts,
} from './cohorts.ts';
import { eventFindings, idleEvents, type PartialEvents } from './event-findings.ts';
import { events, serializeEvents, withEntries } from './events.ts';
import { fleet, fleetFile, fleetFindings, fleetOf } from './fleet.ts';
import { hostClock, hostTimeFindings, inHostTime, inRunTime, onHostClock, type PartialTimes } from './host-clock.ts';
import { phaseFindings } from './phase-findings.ts';
import { phaseFile, phases, phasesOf } from './phases.ts';
import { escaped, secretsIn } from './reading/variables.ts';
import type { Scenario } from './scenario.ts';
import { idleTarget, target, targetFile, targetFindings, targetOf } from './target.ts';
import { idleStops, idleThresholds, thresholdFindings } from './threshold-findings.ts';
import { thresholds, thresholdsFile, thresholdsOf } from './thresholds.ts';
import { openTraces, type Traces } from './traces.ts';
import { validity, validityFile, validityOf } from './validity.ts';
import { webServer, webServerFile, webServerFindings, webServerOf } from './web-server.ts';

const NAME = 'a name of letters, digits, dots, dashes, underscores and inner spaces';

/** Scenario names are also folder names. */
const scenarioName = textLike(/^[\p{L}\p{N}\p{So}]([\p{L}\p{M}\p{N}\p{So}._ -]*[\p{L}\p{M}\p{N}\p{So}_-])?$/u, NAME);

export const scenarioSchema = section({
  name: scenarioName.optional().meta({
    description: 'Name of the scenario and of its results folder. Left out: the name of the file.',
    examples: ['steady'],
  }),
  description: anyText.default('').meta({
    description: 'The question that this scenario answers.',
    examples: ['Can the server handle a fleet that reports at the rate of real agents?'],
  }),
  target,
  fleet,
  hostClock,
  webServer,
  phases,
  events,
  cohorts,
  thresholds,
  validity,
});

/** A parsed scenario file in base units, without the defaults that depend on other values. */
export type ScenarioFile = z.output<typeof scenarioSchema>;

/** The readable parts of a scenario file; faulty and missing parts are absent. */
export type PartialFile = Parameters<typeof targetFindings>[0] & PartialEvents & PartialTimes & PartialCohorts;

/** Conflicts between sections. */
export function fileFindings(file: PartialFile, raw: unknown): readonly Finding[] {
  const checks = [
    fleetFindings,
    phaseFindings,
    cohortFindings,
    thresholdFindings,
    targetFindings,
    eventFindings,
    webServerFindings,
    hostTimeFindings,
  ];
  return checks.flatMap((check) => check(file, raw));
}

/** Applies defaults that depend on other values, and resolves paths relative to the file. @param traces of the same file, see `openTraces` */
export function scenarioOf(written: ScenarioFile, absoluteFile: string, traces?: Traces): Scenario {
  const file = inRunTime(written, written.hostClock);
  const folder = resolve(absoluteFile, '..');
  const phases = phasesOf(file.phases, file.fleet, traces ?? openTraces(file.phases, folder));
  const events = withEntries([], file.events, phases);
  const scenario = onHostClock({
    name: file.name ?? nameFrom(absoluteFile),
    description: file.description.trim(),
    target: targetOf(file.target, folder, phases),
    fleet: fleetOf(file.fleet, folder),
    hostClock: file.hostClock,
    webServer: file.webServer && webServerOf(file.webServer, phases),
    phases,
    events,
    cohorts: [],
    thresholds: [],
    validity: validityOf(file.validity),
  });
  const thresholds = thresholdsOf(file.thresholds, scenario);
  return { ...scenario, thresholds, cohorts: cohortsOf(file.cohorts, thresholds) };
}

/** Builds a scenario without relative paths from file contents. Throws if the schema rejects them. */
export function scenarioFrom(written: z.input<typeof scenarioSchema> & { readonly name: string }): Scenario {
  return scenarioOf(scenarioSchema.parse(written), '/');
}

/** Entries without effect: the run ends before them, or they match nothing. */
export function idleFindings(
  scenario: Scenario,
  file: Pick<ScenarioFile, 'events' | 'thresholds'>,
  data: HostData,
): readonly Finding[] {
  return [
    ...idleTarget(scenario.target, scenario.phases),
    ...idleThresholds(scenario),
    ...idleCohorts(scenario, Object.keys(file.thresholds)),
    ...idleEvents(scenario, file.events, data),
    ...idleStops(scenario),
  ];
}

/** The inverse of `scenarioOf`, with absolute paths and all defaults, variables and settings applied. */
function fileOf(scenario: Scenario): object {
  const { name, description, fleet, hostClock, webServer, cohorts, thresholds, validity } = scenario;
  const { target, phases, events } = inHostTime(scenario);
  return {
    name,
    description,
    target: targetFile(target),
    fleet: fleetFile(fleet),
    hostClock,
    webServer: webServer && webServerFile(webServer),
    phases: phases.map((phase) => phaseFile(phase, fleet.agents)),
    // An event that was ended before its start never happens, and would be refused when the file is read again.
    events: serializeEvents(
      events.filter(({ fromMs, untilMs = fromMs }) => untilMs >= fromMs),
      phases,
    ),
    ...(cohorts.some(isNamed) && { cohorts: cohortsFile(cohorts) }),
    thresholds: thresholdsFile(thresholds),
    validity: validityFile(validity),
  };
}

/**
 * Formats a scenario as a file that parses to the same scenario. Secrets become references to environment variables: MUSTER_API_KEY,
 * MUSTER_TARGET_QUERY for the query of the target's URL, MUSTER_PROXY_USER for user and password of its proxy, and MUSTER_BASIC_AUTH
 * for those of the agents' web servers.
 */
export function formatScenario(scenario: Scenario): string {
  return stringify(escaped(writePart(scenarioSchema, fileOf(scenario))), { lineWidth: 120 });
}

/** The environment variables that a formatted scenario needs, with their values. */
export function scenarioSecrets(scenario: Scenario): Readonly<Record<string, string>> {
  const { proxy } = scenario.target;
  return { ...secretsIn(fileOf(scenario)), ...(proxy?.kind === 'environment' && proxy.variables) };
}

export function plainScenario(scenario: Scenario): Record<string, unknown> {
  return parse(formatScenario(scenario)) as Record<string, unknown>;
}

/** The default name, valid as a folder name: `steady` for `scenarios/steady.yaml`. */
function nameFrom(file: string): string {
  const stem = basename(file).replace(/\.ya?ml$/i, '');
  const name = stem.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}\p{So}._-]+/gu, '-');
  return name.replace(/^[^\p{L}\p{N}\p{So}]+|[^\p{L}\p{M}\p{N}\p{So}_]+$/gu, '') || 'scenario';
}
