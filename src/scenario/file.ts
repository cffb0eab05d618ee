import { basename, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { HostData } from '../machine/host-data.ts';
import type { Finding } from '../notation/finding.ts';
import { anyText, section } from '../notation/section.ts';
import { eventFindings, idleEvents, type PartialEvents } from './event-findings.ts';
import { eventSecrets, events, eventsOf, writtenEvents } from './events.ts';
import { type FleetFile, fleet, fleetFindings, fleetOf, writtenFleet } from './fleet.ts';
import { hostClock, hostClockOf, inHostTime, inRunTime, onHostClock } from './host-clock.ts';
import { phaseFindings, phases, phasesOf, writtenPhase } from './phases.ts';
import { escaped } from './reading/variables.ts';
import type { Scenario } from './scenario.ts';
import { idleTarget, target, targetFindings, targetOf, targetSecrets, writtenTarget } from './target.ts';
import {
  idleStops,
  idleThresholds,
  thresholdFindings,
  thresholds,
  thresholdsOf,
  writtenThresholds,
} from './thresholds.ts';
import { validity, validityOf, writtenValidity } from './validity.ts';
import { webServer, webServerFindings, webServerOf, webServerSecrets, writtenWebServer } from './web-server.ts';

const NAME = 'a name of letters, digits, dots, dashes, underscores and inner spaces';

/** Scenario names become folder names. */
const scenarioName = z.string(NAME).regex(/^[A-Za-z0-9]([A-Za-z0-9._ -]*[A-Za-z0-9_-])?$/, NAME);

/** The whole scenario file; what is accepted here and nothing else is a scenario. */
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
  thresholds,
  validity,
});

/** A scenario file that was read, with quantities in base units; defaults that depend on other values still missing. */
export type ScenarioFile = z.output<typeof scenarioSchema>;

/** What could be read of a scenario file: parts that are faulty or not there are absent. */
export type PartialFile = { readonly fleet?: Partial<FleetFile> } & Parameters<typeof targetFindings>[0] &
  PartialEvents;

/** What is wrong with sections beside each other. */
export function fileFindings(file: PartialFile, raw: unknown): readonly Finding[] {
  const checks = [fleetFindings, phaseFindings, thresholdFindings, targetFindings, eventFindings, webServerFindings];
  return checks.flatMap((check) => check(file, raw));
}

/** Applies the defaults that depend on other values and on where the file lies. */
export function scenarioOf(written: ScenarioFile, absoluteFile: string): Scenario {
  const clock = hostClockOf(written.hostClock);
  const file = inRunTime(written, clock);
  const folder = resolve(absoluteFile, '..');
  const phases = phasesOf(file.phases, file.fleet);
  const events = eventsOf(file.events, phases);
  const scenario = onHostClock({
    name: file.name ?? nameFrom(absoluteFile),
    description: file.description.trim(),
    target: targetOf(file.target, folder, phases),
    fleet: fleetOf(file.fleet, folder),
    hostClock: clock,
    webServer: file.webServer && webServerOf(file.webServer, phases),
    phases,
    events,
    thresholds: [],
    validity: validityOf(file.validity),
  });
  return { ...scenario, thresholds: thresholdsOf(file.thresholds, scenario) };
}

/** The scenario that a file with this in it is, without relative paths. Throws for what no file may have. */
export function scenarioFrom(written: z.input<typeof scenarioSchema> & { readonly name: string }): Scenario {
  return scenarioOf(scenarioSchema.parse(written), '/');
}

/** Entries of a file without effect: the run ends before them, or they match nothing. */
export function idleFindings(
  scenario: Scenario,
  file: Pick<ScenarioFile, 'events'>,
  data: HostData,
): readonly Finding[] {
  return [
    ...idleTarget(scenario.target, scenario.phases),
    ...idleThresholds(scenario),
    ...idleEvents(scenario, file.events, data),
    ...idleStops(scenario),
  ];
}

/**
 * A scenario as a file that reads back as the same scenario, with every default, variable and setting applied and
 * absolute paths. Secrets stay out: the file asks the environment for the API key as MUSTER_API_KEY, for the query of
 * the target's URL as MUSTER_TARGET_QUERY, for user and password of its proxy as MUSTER_PROXY_USER, and for user and password of the agents' web servers as MUSTER_BASIC_AUTH.
 */
export function formatScenario(scenario: Scenario): string {
  const { name, description, fleet, hostClock, webServer, thresholds, validity } = scenario;
  const { target, phases, events } = inHostTime(scenario);
  const file = {
    ...escaped({ name, description }),
    target: writtenTarget(target),
    fleet: writtenFleet(fleet),
    ...(hostClock !== undefined && { hostClock }),
    ...(webServer !== undefined && { webServer: writtenWebServer(webServer) }),
    phases: phases.map(writtenPhase),
    events: writtenEvents(events, phases),
    thresholds: writtenThresholds(thresholds),
    validity: writtenValidity(validity),
  };
  return stringify(file, { lineWidth: 120 });
}

/** What the environment has to say for it to read back as the same scenario. */
export function scenarioSecrets({ target, webServer, events }: Scenario): Readonly<Record<string, string>> {
  return { ...targetSecrets(target), ...(webServer && webServerSecrets(webServer)), ...eventSecrets(events) };
}

/** The same as plain data. */
export function plainScenario(scenario: Scenario): Record<string, unknown> {
  return parse(formatScenario(scenario)) as Record<string, unknown>;
}

/** A name that is fit for a folder, from `scenarios/steady.yaml`: `steady`. */
function nameFrom(file: string): string {
  const stem = basename(file).replace(/\.ya?ml$/i, '');
  return stem.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9_]+$/g, '') || 'scenario';
}
