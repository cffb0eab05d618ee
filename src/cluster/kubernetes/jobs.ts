import type { Job, PodFailurePolicy } from 'kubernetes-types/batch/v1.js';
import type { EnvVar, PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import { type MountedVolume, metadataOf, type Names, podTemplate, SCRATCH, selectorLabels } from './pod.ts';
import { type MachineNeeds, type PodSize, USUAL_LOCAL_PORTS, WIDEST_PORT_RANGE } from './sizing.ts';

/** Settings shared by the machines of a run and their coordinator. */
export type RunPods = {
  readonly names: Names;
  readonly image: string;
  readonly natsUrl: string;
  /** Environment with the cluster key and the NATS credentials. */
  readonly environment: readonly EnvVar[];
  /** Volume with the certificate authority of NATS. */
  readonly volumes: readonly MountedVolume[];
  /** Duration of the timeline. */
  readonly durationSeconds: number;
};

/** Time to get nodes, pull images and start machines, in addition to the timeline. */
const AROUND_SECONDS = 3600;

/** How long each machine waits for NATS, and the coordinator for machines: they may start in any order. */
const WAIT = '30m';

/** Restarts of a machine after a failure. */
const RETRIES = 3;

const MACHINE_POLICY: PodFailurePolicy = {
  rules: [
    // Draining a node is not a failure.
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    // Errors that a restart cannot fix: wrong flags or keys, and a target that is not allowed. Kubernetes requires ascending order.
    { action: 'FailIndex', onExitCodes: { containerName: 'machine', operator: 'In', values: [104, 112] } },
  ],
};

/** The machines: one pod per index, on as many nodes as available. */
export function machinesJob(run: RunPods, machines: number, needs: MachineNeeds): Job {
  const { names, image, natsUrl, environment, volumes } = run;
  const template = podTemplate(names, {
    component: 'machine',
    container: { image, args: ['join', natsUrl, '--once'], env: [...environment, WAITING] },
    size: needs,
    volumes: [...volumes, SCRATCH],
    graceSeconds: 90,
    further: {
      restartPolicy: 'Never',
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: selectorLabels(names, 'machine') },
        },
      ],
    },
    sysctls: needs.localPorts > USUAL_LOCAL_PORTS ? [WIDEST_PORTS] : [],
  });
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadataOf(names, 'machines', 'machine'),
    spec: {
      completionMode: 'Indexed',
      completions: machines,
      parallelism: machines,
      backoffLimitPerIndex: RETRIES,
      podFailurePolicy: MACHINE_POLICY,
      activeDeadlineSeconds: run.durationSeconds + AROUND_SECONDS,
      template,
    },
  };
}

const WAITING: EnvVar = { name: 'MUSTER_NATS_WAIT', value: WAIT };

const WIDEST_PORTS = {
  name: 'net.ipv4.ip_local_port_range',
  value: `${WIDEST_PORT_RANGE.first} ${WIDEST_PORT_RANGE.last}`,
};

const RESULTS_PATH = '/work/results';

/** @param scenario the volume with the scenario, and the path of its file. */
export function coordinatorJob(
  run: RunPods,
  scenario: { readonly file: string; readonly volume: MountedVolume; readonly environment: readonly EnvVar[] },
  { machines, size }: { readonly machines: number; readonly size: PodSize },
): Job {
  const { names, image, natsUrl, environment, volumes } = run;
  const cluster = ['--cluster', natsUrl, '--machines', String(machines), '--replace', '--wait', WAIT];
  const template = podTemplate(names, {
    component: 'coordinator',
    container: {
      image,
      args: ['run', scenario.file, ...cluster, '--out', RESULTS_PATH],
      env: [...environment, WAITING, ...scenario.environment],
    },
    size,
    volumes: [scenario.volume, resultsVolume(names), ...volumes, SCRATCH],
    graceSeconds: 120,
    further: { restartPolicy: 'Never' },
    sysctls: [],
  });
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadataOf(names, '', 'coordinator'),
    spec: {
      // A new pod would start another run. The existing run continues, and is resumed by name.
      backoffLimit: 0,
      activeDeadlineSeconds: run.durationSeconds + AROUND_SECONDS,
      template,
    },
  };
}

function resultsVolume({ name }: Names): MountedVolume {
  return {
    volume: { persistentVolumeClaim: { claimName: `${name}-results` } },
    mount: { name: 'results', mountPath: RESULTS_PATH },
  };
}

/** @param storageClass `undefined` for the cluster's default. */
export function resultsClaim(names: Names, storageClass: string | undefined): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadataOf(names, 'results', 'coordinator'),
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClass !== undefined && { storageClassName: storageClass }),
      resources: { requests: { storage: '5Gi' } },
    },
  };
}
