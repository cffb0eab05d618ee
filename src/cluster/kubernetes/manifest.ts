import { parse, stringify } from 'yaml';
import { UserError } from '../../ground/kernel/errors.ts';
import { counted } from '../../ground/kernel/units.ts';
import { VERSION } from '../../ground/kernel/version.ts';
import { formatScenario } from '../../scenario/file.ts';
import type { Plan } from '../../scenario/planning/plan.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type MachineNeeds, machineNeeds, USUAL_LOCAL_PORTS, WIDEST_PORT_RANGE } from './sizing.ts';

/** What to run in a Kubernetes cluster. */
export type ManifestOrder = {
  /** Text of `manifest.yaml`: the objects, with holes. */
  readonly template: string;
  readonly scenario: Scenario;
  readonly plan: Plan;
  /** Certificate authority for the target, in PEM; `undefined` for those that Node trusts. */
  readonly authority: string | undefined;
  readonly machines: number;
  readonly names: Names;
  /** An image with the command `muster`. */
  readonly image: string;
  /** Overrides the plan; `undefined` to follow it. */
  readonly cores: number | undefined;
  readonly memoryMib: number | undefined;
  /** `undefined` for the cluster's default. */
  readonly storageClass: string | undefined;
  readonly nats: { readonly kind: 'own'; readonly image: string } | { readonly kind: 'existing'; readonly url: string };
};

/** Name and namespace of the objects of one run. */
type Names = {
  /** Name of the coordinator's Job; a prefix of all other objects and labels. */
  readonly name: string;
  /** `undefined` for the namespace of `kubectl apply`. */
  readonly namespace: string | undefined;
};

export type Manifest = {
  /** For `kubectl apply -f -`; begins with a comment about the steps before and after it. */
  readonly text: string;
  /** Resources of each machine, and those that the plan would give it. */
  readonly needs: MachineNeeds;
  readonly planned: MachineNeeds;
};

/** Keys in the run's only Secret, which the user creates, and the commands that generate their values. */
const GENERATED_SECRETS: Readonly<Record<string, string>> = {
  MUSTER_CLUSTER_KEY: '"$(openssl rand -base64 32)"',
  // NATS reads it as a string in its configuration only if it starts with a letter.
  MUSTER_NATS_PASSWORD: '"n$(openssl rand -hex 24)"',
};

/** Time to get nodes, pull images and start machines, in addition to the timeline. */
const AROUND_SECONDS = 3600;

/**
 * Creates the objects of a run on this many machines.
 *
 * @throws UserError for a scenario that pods cannot run.
 */
export function manifestOf(order: ManifestOrder): Manifest {
  assertFitForPods(order.scenario);
  const { machines, names, nats, plan } = order;
  const scenario = inPod(order.scenario);
  const text = formatScenario(scenario);
  assertFitsConfigMap(text, order.authority);
  const planned = machineNeeds(scenario, plan, machines);
  const needs = { ...planned, cores: order.cores ?? planned.cores, memoryMib: order.memoryMib ?? planned.memoryMib };
  const secrets = environmentAsked(text);
  const objects = filled(order.template, {
    ...{ ...names, version: VERSION, image: order.image, storageClass: order.storageClass },
    ...{ scenario: text, authority: order.authority, machines, machineCount: String(machines) },
    deadlineSeconds: Math.ceil(plan.durationMs / 1000) + AROUND_SECONDS,
    ...{ cores: String(needs.cores), memory: `${needs.memoryMib}Mi`, sysctls: sysctlsFor(needs) },
    secrets: secrets.map((key) => ({ name: key, valueFrom: { secretKeyRef: { name: secretName(names), key } } })),
    ...listening(scenario),
    ...(nats.kind === 'own'
      ? { ownNats: true, natsImage: nats.image, natsUrl: `tls://${names.name}-nats:4222` }
      : { ownNats: false, natsImage: undefined, natsUrl: nats.url }),
  });
  const documents = objects.map(
    // Kubernetes reads YAML 1.1, in which more unquoted words are not strings.
    ({ comment, object }) => `# ${comment}\n${stringify(object, { version: '1.1', lineWidth: 0 })}`,
  );
  return { text: `${header(order, needs, secrets)}---\n${documents.join('---\n')}`, needs, planned };
}

type Holes = Readonly<Record<string, unknown>>;

function filled(template: string, holes: Holes) {
  const { objects } = parse(template, { merge: true }) as { readonly objects: unknown };
  return part(objects, holes) as readonly { readonly comment: string; readonly object: object }[];
}

/**
 * A part of a template with its holes filled; `undefined` without a value. A text that is only a hole, such as `<machines>`, takes a
 * value of any type, and a list for an item replaces that item.
 */
function part(given: unknown, holes: Holes): unknown {
  if (typeof given === 'string') {
    const [, alone] = /^<(\w+)>$/.exec(given) ?? [];
    return alone === undefined ? given.replace(/<(\w+)>/g, (_, name) => `${hole(name, holes)}`) : hole(alone, holes);
  }
  if (Array.isArray(given)) return given.flatMap((item) => part(item, holes) ?? []);
  if (typeof given !== 'object' || given === null) return given;
  const { if: condition = true, ...members } = given as { readonly if?: unknown };
  if (part(condition, holes) === false) return undefined;
  const kept = Object.entries(members).map(([key, value]) => [key, part(value, holes)] as const);
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

function hole(name: string, holes: Holes): unknown {
  if (!Object.hasOwn(holes, name)) throw new Error(`manifest.yaml: expected a known hole, found <${name}>`);
  return holes[name];
}

/** @throws UserError if the scenario needs something that a pod lacks. */
function assertFitForPods({ fleet, webServer }: Scenario): void {
  const [source] = fleet.sourceAddresses;
  if (source !== undefined)
    throw new UserError(
      `fleet.sourceAddresses: expected none, because a pod has a single address, which is unknown in advance; found ${source}; ` +
        'use more machines instead of addresses.',
    );
  if (webServer?.listen.kind === 'addresses')
    throw new UserError(
      'webServer.listen: expected one address and a range of ports, because a pod has a single address, found a range of addresses; write 0.0.0.0:20000+.',
    );
}

/** The scenario with the paths of its files in the coordinator's pod. */
function inPod(scenario: Scenario): Scenario {
  const { target } = scenario;
  if (target.tls.caFile === undefined) return scenario;
  return { ...scenario, target: { ...target, tls: { ...target.tls, caFile: '/etc/muster/ca.pem' } } };
}

/** Environment variables that an effective scenario refers to: its secrets. */
function environmentAsked(text: string): readonly string[] {
  const names = [...text.matchAll(/\$\$\{|\$\{(\w+)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  return [...new Set(names)];
}

// The API server refuses a larger object.
const MOST_CONFIG_BYTES = 1_000_000;

function assertFitsConfigMap(text: string, authority = ''): void {
  const bytes = Buffer.byteLength(text + authority);
  if (bytes > MOST_CONFIG_BYTES)
    throw new UserError(
      `The scenario: expected up to ${MOST_CONFIG_BYTES} bytes with every default, the limit of a ConfigMap, found ${bytes}; ` +
        'use fewer events or phases.',
    );
}

/** `undefined` if the usual range of ports suffices. */
function sysctlsFor({ localPorts }: MachineNeeds) {
  const { first, last } = WIDEST_PORT_RANGE;
  return localPorts > USUAL_LOCAL_PORTS
    ? [{ name: 'net.ipv4.ip_local_port_range', value: `${first} ${last}` }]
    : undefined;
}

/** Who may connect to machines: nobody, unless agents listen. */
function listening({ webServer, fleet }: Scenario) {
  if (webServer?.listen.kind !== 'ports') return { pollers: 'Deny all connections to machines.', ingress: [] };
  const { firstPort: port } = webServer.listen;
  const ports = [{ port, endPort: port + fleet.agents - 1, protocol: 'TCP' }];
  return { pollers: 'Allow pollers of agents to connect to machines.', ingress: [{ ports }] };
}

function secretName({ name }: Names): string {
  return `${name}-keys`;
}

function header(
  { scenario, machines, names, nats }: ManifestOrder,
  { fileDescriptors }: MachineNeeds,
  secrets: readonly string[],
): string {
  const where = names.namespace === undefined ? '' : ` --namespace ${names.namespace}`;
  const isOwn = nats.kind === 'own';
  const certificate = [
    'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -keyout tls.key -out tls.crt \\',
    `  -subj /CN=${names.name}-nats -addext subjectAltName=DNS:${names.name}-nats`,
  ];
  const literals = [...Object.keys(GENERATED_SECRETS), ...secrets];
  const given = [
    ...literals.map((name) => `--from-literal=${name}=${GENERATED_SECRETS[name] ?? '…'}`),
    ...(isOwn ? ['--from-file=tls.crt', '--from-file=tls.key'] : []),
  ];
  const lines = [
    `${scenario.name} on ${counted(machines, 'machine')}, created by muster manifest.`,
    '',
    'Create its Secret once, before applying it:',
    ...(isOwn ? certificate : []).map((line) => `  ${line}`),
    `  kubectl create secret generic ${secretName(names)}${where} \\`,
    ...given.map((word, at, all) => `    ${word}${at < all.length - 1 ? ' \\' : ''}`),
    'Then:',
    `  kubectl apply${where} -f this-file.yaml && kubectl logs${where} --follow job/${names.name}`,
    'Delete the jobs before the next run; the volume of results remains:',
    `  kubectl delete job${where} --selector app.kubernetes.io/instance=${names.name}`,
    '',
    `Each machine opens up to ${fileDescriptors} files. Kubernetes has no field for this limit: the container runtime of the nodes sets`,
    'it, and a machine with a lower limit is refused before anything is sent.',
  ];
  return lines
    .map((line) => `# ${line}`.trimEnd())
    .join('\n')
    .concat('\n');
}
