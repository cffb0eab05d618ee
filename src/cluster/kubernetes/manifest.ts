import type { ConfigMap } from 'kubernetes-types/core/v1.js';
import { stringify } from 'yaml';
import { UserError } from '../../ground/kernel/errors.ts';
import { counted } from '../../ground/kernel/units.ts';
import { formatScenario } from '../../scenario/file.ts';
import type { Plan } from '../../scenario/planning/plan.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { coordinatorJob, machinesJob, type RunPods, resultsClaim } from './jobs.ts';
import { NATS_CERTIFICATE, NATS_KEY, NATS_PASSWORD, NATS_USER, natsObjects, natsUrl, type OwnNats } from './nats.ts';
import { networkPolicies } from './network-policies.ts';
import { type MountedVolume, metadataOf, type Names, secretName, secretVariable } from './pod.ts';
import { type MachineNeeds, machineNeeds, type PodSize } from './sizing.ts';

/** What to run in a Kubernetes cluster. */
export type ManifestOrder = {
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
  readonly storageClass: string | undefined;
  readonly nats: { readonly kind: 'own'; readonly image: string } | { readonly kind: 'existing'; readonly url: string };
};

/** An object, and the reason for it. */
type Described = { readonly comment: string; readonly object: object };

/** Objects to apply, and the required contents of their Secret. */
export type Manifest = {
  readonly objects: readonly Described[];
  /** Resources of each machine, and those that the plan would give it. */
  readonly needs: MachineNeeds;
  readonly planned: MachineNeeds;
  readonly secret: { readonly name: string; readonly variables: readonly string[]; readonly files: readonly string[] };
};

/** Resources of a coordinator. */
const COORDINATOR_SIZE: PodSize = { cores: 1, memoryMib: 1024 };
const NATS_SIZE: PodSize = { cores: 1, memoryMib: 1024 };
const NATS_STORAGE_GIB = 10;

const CLUSTER_KEY = 'MUSTER_CLUSTER_KEY';
const NATS_CERTIFICATE_PATH = '/etc/muster-nats';

/**
 * Creates the objects of a run on this many machines, in the order in which they must be applied.
 *
 * @throws UserError for a scenario that pods cannot run.
 */
export function manifestOf(order: ManifestOrder): Manifest {
  const { names, machines, nats, storageClass } = order;
  assertFitForPods(order.scenario);
  const scenario = inPod(order.scenario);
  const text = formatScenario(scenario);
  const planned = machineNeeds(scenario, order.plan, machines);
  const needs = { ...planned, cores: order.cores ?? planned.cores, memoryMib: order.memoryMib ?? planned.memoryMib };
  const run = runPods(order);
  const variables = environmentAsked(text);
  const config = scenarioConfig(names, text, order.authority);
  const coordinator = coordinatorJob(
    run,
    {
      file: `${SCENARIO_PATH}/${SCENARIO_FILE}`,
      volume: scenarioVolume(names),
      environment: variables.map((name) => secretVariable(names, name)),
    },
    { machines, size: COORDINATOR_SIZE },
  );
  const own: OwnNats | undefined =
    nats.kind === 'own'
      ? { image: nats.image, size: NATS_SIZE, storageGib: NATS_STORAGE_GIB, storageClass }
      : undefined;
  return {
    objects: [
      {
        comment: 'The scenario with every default, variable and setting applied; secrets come from the environment.',
        object: config,
      },
      ...(own === undefined ? [] : natsDescribed(names, own)),
      ...networkPolicies(names, {
        webServer: scenario.webServer,
        agents: scenario.fleet.agents,
        ownNats: own !== undefined,
      }),
      { comment: 'Results outlive the pods.', object: resultsClaim(names, storageClass) },
      {
        comment: 'The machines; each runs its part of the fleet.',
        object: machinesJob(run, machines, needs),
      },
      {
        comment: 'The coordinator; its log shows the run, and its exit code is the verdict.',
        object: coordinator,
      },
    ],
    needs,
    planned,
    secret: {
      name: secretName(names),
      variables: [CLUSTER_KEY, NATS_PASSWORD, ...variables],
      files: own === undefined ? [] : [NATS_CERTIFICATE, NATS_KEY],
    },
  };
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

const SCENARIO_PATH = '/etc/muster';
const SCENARIO_FILE = 'scenario.yaml';
const AUTHORITY_FILE = 'ca.pem';

/** The scenario with the paths of its files in the coordinator's pod. */
function inPod(scenario: Scenario): Scenario {
  const { target } = scenario;
  if (target.tls.caFile === undefined) return scenario;
  return { ...scenario, target: { ...target, tls: { ...target.tls, caFile: `${SCENARIO_PATH}/${AUTHORITY_FILE}` } } };
}

/** Environment variables that an effective scenario refers to: its secrets. */
function environmentAsked(text: string): readonly string[] {
  const names = [...text.matchAll(/\$\$\{|\$\{(\w+)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  return [...new Set(names)];
}

// The API server refuses a larger object.
const MOST_CONFIG_BYTES = 1_000_000;

function scenarioConfig(names: Names, text: string, authority: string | undefined): ConfigMap {
  const data = { [SCENARIO_FILE]: text, ...(authority !== undefined && { [AUTHORITY_FILE]: authority }) };
  const bytes = Buffer.byteLength(Object.values(data).join(''));
  if (bytes > MOST_CONFIG_BYTES)
    throw new UserError(
      `The scenario: expected up to ${MOST_CONFIG_BYTES} bytes with every default, the limit of a ConfigMap, found ${bytes}; ` +
        'use fewer events or phases.',
    );
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(names, 'scenario', 'coordinator'), data };
}

function scenarioVolume({ name }: Names): MountedVolume {
  return {
    volume: { configMap: { name: `${name}-scenario` } },
    mount: { name: 'scenario', mountPath: SCENARIO_PATH, readOnly: true },
  };
}

function runPods({ names, image, nats, plan }: ManifestOrder): RunPods {
  const isOwn = nats.kind === 'own';
  return {
    names,
    image,
    natsUrl: isOwn ? natsUrl(names) : nats.url,
    environment: [
      secretVariable(names, CLUSTER_KEY),
      { name: 'MUSTER_NATS_USER', value: NATS_USER },
      secretVariable(names, NATS_PASSWORD),
      ...(isOwn ? [{ name: 'MUSTER_NATS_CA', value: `${NATS_CERTIFICATE_PATH}/${NATS_CERTIFICATE}` }] : []),
    ],
    volumes: isOwn ? [certificateVolume(names)] : [],
    durationSeconds: Math.ceil(plan.durationMs / 1000),
  };
}

/** Contains only the certificate: the private key is for NATS. */
function certificateVolume(names: Names): MountedVolume {
  return {
    volume: { secret: { secretName: secretName(names), items: [{ key: NATS_CERTIFICATE, path: NATS_CERTIFICATE }] } },
    mount: { name: 'nats-certificate', mountPath: NATS_CERTIFICATE_PATH, readOnly: true },
  };
}

function natsDescribed(names: Names, own: OwnNats): readonly Described[] {
  const [config, service, server] = natsObjects(names, own);
  return [
    {
      comment: 'NATS carries messages and keeps the state of the run; it accepts only TLS and one user.',
      object: config,
    },
    { comment: 'The DNS name of NATS.', object: service },
    { comment: 'The server; its streams are on a persistent volume.', object: server },
  ];
}

/** Text for `kubectl apply -f -`, with the steps before and after it. */
export function manifestText(order: ManifestOrder, manifest: Manifest): string {
  const documents = manifest.objects.map(
    // Kubernetes reads YAML 1.1, in which more unquoted words are not strings.
    ({ comment, object }) =>
      `# ${comment}\n${stringify(object, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })}`,
  );
  return `${header(order, manifest)}---\n${documents.join('---\n')}`;
}

function header({ scenario, machines, names, nats }: ManifestOrder, { needs, secret }: Manifest): string {
  const where = names.namespace === undefined ? '' : ` --namespace ${names.namespace}`;
  const certificate =
    nats.kind === 'own'
      ? [
          `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -keyout ${NATS_KEY} -out ${NATS_CERTIFICATE} \\`,
          `  -subj /CN=${names.name}-nats -addext subjectAltName=DNS:${names.name}-nats`,
        ]
      : [];
  const literals = secret.variables.map((name) => `--from-literal=${name}=${SECRET_VALUES[name] ?? '…'}`);
  const files = secret.files.map((name) => `--from-file=${name}`);
  const lines = [
    `${scenario.name} on ${counted(machines, 'machine')}, created by muster manifest.`,
    '',
    'Create its Secret once, before applying it:',
    ...certificate.map((line) => `  ${line}`),
    `  kubectl create secret generic ${secret.name}${where} \\`,
    ...[...literals, ...files].map((word, at, all) => `    ${word}${at < all.length - 1 ? ' \\' : ''}`),
    'Then:',
    `  kubectl apply${where} -f this-file.yaml && kubectl logs${where} --follow job/${names.name}`,
    'Delete the jobs before the next run; the volume of results remains:',
    `  kubectl delete job${where} --selector app.kubernetes.io/instance=${names.name}`,
    '',
    `Each machine opens up to ${needs.fileDescriptors} files. Kubernetes has no field for this limit: the container runtime of the nodes sets`,
    'it, and a machine with a lower limit is refused before anything is sent.',
  ];
  return lines
    .map((line) => `# ${line}`.trimEnd())
    .join('\n')
    .concat('\n');
}

/** Commands that generate secrets. */
const SECRET_VALUES: Readonly<Record<string, string>> = {
  [CLUSTER_KEY]: '"$(openssl rand -base64 32)"',
  // NATS reads it as a string in its configuration only if it starts with a letter.
  [NATS_PASSWORD]: '"n$(openssl rand -hex 24)"',
};
