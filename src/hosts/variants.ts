import { once } from '../base/kernel/memoize.ts';
import { hasFeature } from '../base/protocol/agent-versions.ts';
import { customChecksCheck } from './checks/custom-checks.ts';
import { dockerMissing } from './checks/docker.ts';
import { prometheusExportersCheck } from './checks/prometheus-exporters.ts';
import { type Cells, createCells, isSlotted, type Node, SLOT, slot } from './document/nodes.ts';
import { compile, type Program } from './document/program.ts';
import { checksOf, countsOf, type HostGroup, type MachineFleet } from './fleet.ts';
import { chooser, hostGroups, publishingDelayMs, roleOfVariant, runLengthOn, variantWeightsOf } from './groups.ts';
import type { Rhythm } from './host/activity.ts';
import type { HostConfiguration } from './host/configuration.ts';
import { customCheckEntries } from './host/configured-checks.ts';
import type { RunLength } from './host/host-state.ts';
import { type Incident, isActive, ofKind } from './host/incident.ts';
import { type Fill, fixedPart, inTurn, type Part, sortedMembers } from './host/part.ts';
import type { ItemCounts, OperatingSystem, Profile, SizeClass, Variant, VariantInput } from './host/profile.ts';
import { sitesIn } from './host/site.ts';
import { sizeClasses } from './host/sizes.ts';
import { checkWithoutUpdates, documentWithoutUpdates } from './packages/document.ts';
import { profileNamed } from './profiles.ts';

/** Properties that the hosts of one profile and variant share, described and compiled once. */
export type CompiledVariant = {
  readonly rhythm: Rhythm;
  readonly runMs: RunLength;
  /** See `host/calendar.ts`. */
  readonly publishesLaterMs: number;
  readonly checkdata: () => Document;
  readonly packages: () => Document;
};

/** A document of a variant, with the one frame that is filled for each of its hosts in turn. */
export type Document = {
  /** Described again once the document is compiled, because it takes more memory than everything else. */
  readonly node: () => Node;
  readonly fill: Fill;
  readonly frame: Float64Array;
  /** Compiled at first use. Inspecting a single host does not need it, nor does a fleet without package pushes. */
  readonly program: () => Program;
};

/** The variants of a group of hosts, each created when one of its hosts is first requested. */
export type Variants = {
  readonly of: (agent: number) => CompiledVariant;
  readonly numberOf: (agent: number) => number;
  readonly numbered: (variant: number) => CompiledVariant;
};

/**
 * Returns variants by group, in the order of `hostGroups`. `plain` are those of the same fleet without a configuration; unaffected
 * parts are shared with them.
 * @throws UserError if the fleet names a profile that does not exist.
 */
export function variantsOf(fleet: MachineFleet, plain?: readonly Variants[]): readonly Variants[] {
  return hostGroups(fleet).list.map((group, index) => variantsOfGroup(group, fleet, plain?.[index]));
}

function variantsOfGroup(group: HostGroup, fleet: MachineFleet, plain?: Variants): Variants {
  const { data, seed, configuration, version, hostNames, incidents = [] } = fleet;
  const profile = profileNamed(group.profile, fleet.recordings);
  const compiled: (CompiledVariant | undefined)[] = [];
  const { numberOf, inputOf } = differencesOf(group, fleet);
  const shared = {
    data: data.tables,
    seed,
    checks: checksOf(group),
    configuration,
    incidents,
    timeZone: group.timeZone,
    hostNames,
  };
  const numbered = (number: number): CompiledVariant => {
    compiled[number] ??= ofRelease(
      version,
      compiledVariant(profile, { ...shared, ...inputOf(number) }, plain?.numbered(number)),
    );
    return compiled[number];
  };
  return { of: (agent) => numbered(numberOf(agent)), numberOf, numbered };
}

/** How the hosts of a group differ: each host's number, and the input of each number. Hosts with the same number are alike. */
type Differences = {
  readonly numberOf: (agent: number) => number;
  readonly inputOf: (number: number) => Pick<VariantInput, 'variant' | 'role' | 'size' | 'counts'>;
};

/** Hosts with a given role, and hosts with a `natural` payload, have size classes. Others have the usual size. */
function differencesOf(group: HostGroup, { data: { tables }, seed, recordings }: MachineFleet): Differences {
  const { payload } = group;
  const profile = profileNamed(group.profile, recordings);
  const { sizeWeights } = profile;
  const payloads = profile.payloads(tables);
  const roleOf = (variant: number) => roleOfVariant(group, variant, recordings);
  const weights = variantWeightsOf(group, recordings);
  const variantOf = chooser(seed, 'variant', weights);
  if (sizeWeights === undefined || (group.role === undefined && payload !== 'natural')) {
    const counts = countsOf(payloads, payload === 'natural' ? 'full' : payload);
    return { numberOf: variantOf, inputOf: (variant) => ({ variant, role: roleOf(variant), counts }) };
  }
  const classes = sizeClasses(tables, profile.systemOf(0));
  const sizeOf = weights.map((_, variant) => chooser(seed, 'size', sizeWeights(tables, roleOf(variant))));
  return {
    numberOf: (agent) => {
      const variant = variantOf(agent);
      return variant + weights.length * (sizeOf[variant]?.(agent) ?? 0);
    },
    inputOf: (number) => {
      const variant = number % weights.length;
      const size = classes[Math.floor(number / weights.length)] as SizeClass;
      const counts = payload === 'natural' ? ownCounts(payloads.full.counts, size) : countsOf(payloads, payload);
      return { variant, role: roleOf(variant), size, counts };
    },
  };
}

function ownCounts(full: ItemCounts, { counts, processesPerCore }: SizeClass): ItemCounts {
  return { ...counts, packages: Math.round(counts.packages * full.packages), processesPerCore };
}

/** The same variant as agents of a different release report it. */
function ofRelease(version: string | undefined, variant: CompiledVariant): CompiledVariant {
  if (version === undefined) return variant;
  const changed = (document: () => Document, change: (version: string, node: Node) => Node) =>
    once((): Document => {
      const { node, ...rest } = document();
      const own = () => change(version, node());
      return { ...rest, node: own, program: once(() => compile(own())) };
    });
  return {
    ...variant,
    runMs: runOfRelease(version, variant.runMs),
    checkdata: changed(variant.checkdata, checkdataOfRelease),
    packages: changed(variant.packages, named),
  };
}

/** `plain` is the same variant without a configuration. Its package document is shared if possible. */
function compiledVariant(profile: Profile, input: VariantInput, plain?: CompiledVariant): CompiledVariant {
  const { configuration, incidents } = input;
  const variant = profile.variant(input);
  const system = profile.systemOf(input.variant);
  const checkdata = described((cells) => {
    const part = withCustomChecks(variant.checkdata(cells), { profile, input }, cells);
    return withErrors(configured(part, { configuration, system }, cells), incidents, cells);
  });
  const { rhythm } = variant;
  return {
    rhythm: rhythm.sites === undefined ? rhythm : { ...rhythm, sites: sitesIn(input.data, input.timeZone) },
    runMs: runLengthOn(system, configuration),
    publishesLaterMs: publishingDelayMs(profile, input.variant),
    checkdata,
    packages: packagesOf(variant, configuration, plain),
  };
}

function packagesOf(variant: Variant, configuration?: HostConfiguration, plain?: CompiledVariant): () => Document {
  if (!updatesAreOff(configuration)) return plain?.packages ?? described(variant.packages);
  return described((cells) => {
    const { node, fill } = variant.packages(cells);
    return { node: documentWithoutUpdates(node), fill };
  });
}

/** Returns a document that is described at first use. */
function described(part: (cells: Cells) => Part): () => Document {
  return once(() => {
    const cells = createCells();
    const { node: first, fill } = part(cells);
    let kept: Node | undefined = first;
    const node = () => kept ?? part(createCells()).node;
    const program = once(() => {
      const compiled = compile(node());
      kept = undefined;
      return compiled;
    });
    return { node, fill, frame: new Float64Array(cells.count()), program };
  });
}

function updatesAreOff(configuration: HostConfiguration | undefined): boolean {
  return configuration?.packages?.updateCheck === false;
}

type Plugged = { readonly profile: Profile; readonly input: VariantInput };

/** Replaces custom checks by those of the configuration, or else of the fleet. Hosts of a recording keep theirs. */
function withCustomChecks(part: Part, { profile, input }: Plugged, cells: Cells): Part {
  const { data, checks, configuration } = input;
  const entries = configuration?.customChecks ?? customCheckEntries(profile.name, checks.customchecks ?? 0);
  if (entries.length === 0 && configuration?.customChecks === undefined) return part;
  const others = part.node as Checks;
  const own = customChecksCheck(entries, { data, profile: profile.name, checks: others, fill: part.fill }, cells);
  return { node: { ...others, customchecks: own.node }, fill: inTurn([own.fill, part.fill]) };
}

/** Checks that no configuration removes. */
const PERMANENT: ReadonlySet<string> = new Set(['agent', 'customchecks', 'packagemanager', 'prometheus_exporters']);

/** As written by an agent whose collector never started. */
const NO_PACKAGES = fixedPart({ enabled: false, pending: false });

type Checks = { readonly [check: string]: Node };

function configured(part: Part, { configuration, system }: Configured, cells: Cells): Part {
  if (configuration === undefined) return part;
  const { disabledChecks, exporters, packages } = configuration;
  const checks = part.node as Checks;
  const own: Readonly<Record<string, Part>> = {
    ...(exporters && { prometheus_exporters: prometheusExportersCheck(exporters, cells) }),
    ...(packages === undefined && { packagemanager: NO_PACKAGES }),
    ...(updatesAreOff(configuration) && { packagemanager: fixedPart(checkWithoutUpdates(checks.packagemanager)) }),
  };
  const wanted = 'docker' in checks ? checks : sortedMembers({ ...checks, docker: dockerMissing(system) });
  const listed = Object.entries(wanted).filter(([check]) => PERMANENT.has(check) || !disabledChecks.includes(check));
  return {
    node: Object.fromEntries(listed.map(([check, node]) => [check, own[check]?.node ?? node])),
    // Removed checks are filled, too, because other checks read their cells.
    fill: inTurn([part.fill, ...Object.values(own).map(({ fill }) => fill)]),
  };
}

type Configured = { readonly configuration: HostConfiguration | undefined; readonly system: OperatingSystem };

const USUAL_ERROR = 'context deadline exceeded';

/** Replaces each check that incidents make fail with an error while they last. */
function withErrors(part: Part, incidents: readonly Incident[], cells: Cells): Part {
  const errors = ofKind(incidents, 'check-error');
  const node = part.node as Checks;
  const failing = [...new Set(errors.map(({ check }) => check))].filter((check) => check in node);
  if (failing.length === 0) return part;
  const forms = failing.map((check) => ({
    check,
    cell: cells.one(),
    causes: errors.filter((it) => it.check === check),
  }));
  const replaced = forms.map(({ check, cell, causes }) => {
    const texts = causes.map(({ error = USUAL_ERROR }) => ({ error }));
    return [check, slot.either(cell, [node[check] as Node, ...texts])] as const;
  });
  return {
    node: { ...node, ...Object.fromEntries(replaced) },
    fill(frame, host) {
      part.fill(frame, host);
      for (const { cell, causes } of forms) {
        const cause = causes.findIndex((it) => isActive(it, host.incidents, host.checkMs));
        frame[cell] = 1 + cause;
      }
    },
  };
}

type NodeMembers = Readonly<Record<string, Node>>;

type Features = Readonly<Record<string, Parameters<typeof hasFeature>[1]>>;

/** What brought some checks, and some members of `agent`. */
const CHECK_FEATURES: Features = { ntp: 'ntp', prometheus_exporters: 'exporters', packagemanager: 'packages' };
const MEMBER_FEATURES: Features = { goversion: 'goVersion', check_interval: 'ntp' };

/** Check data as an agent of a different release reports them (docs/reference/events.md, "upgrade"). */
function checkdataOfRelease(version: string, node: Node): Node {
  const known = (members: NodeMembers, features: Features): NodeMembers => {
    const kept = Object.entries(members).filter(([name]) => {
      const feature = features[name];
      return feature === undefined || hasFeature(version, feature);
    });
    return Object.fromEntries(kept);
  };
  const { agent, ...checks } = named(version, node) as NodeMembers;
  return { agent: known(agent as NodeMembers, MEMBER_FEATURES), ...known(checks, CHECK_FEATURES) };
}

/** In older releases, the CPU check does not wait for others. Runs take as long as current ones at intervals of up to five seconds. */
function runOfRelease(version: string, runMs: RunLength): RunLength {
  return hasFeature(version, 'exporters')
    ? runMs
    : (intervalSeconds) => runMs(Math.min(intervalSeconds, CLOSE_SECONDS));
}

const CLOSE_SECONDS = 5;

const VERSION_MEMBERS = new Set(['agent_version', 'AgentVersion']);

/** The same document, with `version` wherever it names the version of its agent. */
function named(version: string, node: Node): Node {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  if (isSlotted(node)) {
    return node[SLOT] === 'either' ? { ...node, forms: node.forms.map((form) => named(version, form)) } : node;
  }
  const members = Object.entries(node as NodeMembers);
  return Object.fromEntries(
    members.map(([name, member]) => [name, VERSION_MEMBERS.has(name) ? version : named(version, member)]),
  );
}
