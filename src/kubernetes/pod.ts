import type { Container, EnvVar, PodSpec, PodTemplateSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import { VERSION } from '../kernel/version.ts';
import type { PodSize } from './sizing.ts';

/** What the objects of one run are called, and where they are. */
export type Names = {
  /** Of the coordinator's Job; all other objects and labels begin with it. */
  readonly name: string;
  /** Undefined: the namespace of `kubectl apply`. */
  readonly namespace: string | undefined;
};

/** What a pod of a run is for. */
export type Component = 'machine' | 'coordinator' | 'nats';

/** Labels by which pods of one run are chosen, all of them or those of a kind. */
export function selectorLabels({ name }: Names, component?: Component): Record<string, string> {
  const common = { 'app.kubernetes.io/name': 'muster', 'app.kubernetes.io/instance': name };
  return component === undefined ? common : { ...common, 'app.kubernetes.io/component': component };
}

/** @param suffix behind the name of the run; empty for the coordinator's Job. */
export function metadataOf(names: Names, suffix: string, component: Component): ObjectMeta {
  return {
    name: suffix === '' ? names.name : `${names.name}-${suffix}`,
    ...(names.namespace !== undefined && { namespace: names.namespace }),
    labels: { ...selectorLabels(names, component), 'app.kubernetes.io/version': VERSION },
  };
}

/** The one Secret of a run, which the user makes. */
export function secretName({ name }: Names): string {
  return `${name}-keys`;
}

/** A variable that the Secret has under its own name. */
export function secretVariable(names: Names, key: string): EnvVar {
  return { name: key, valueFrom: { secretKeyRef: { name: secretName(names), key } } };
}

/** The user of both images, by number: Kubernetes believes nothing else not to be root. */
const USER = 1000;

/** What differs from pod to pod; all else is the same for each of them. */
type PodParts = {
  readonly component: Component;
  readonly container: Pick<Container, 'image' | 'args' | 'env' | 'ports' | 'startupProbe' | 'readinessProbe'>;
  readonly size: PodSize;
  readonly volumes: readonly MountedVolume[];
  /** For what is under way when the pod is to end. */
  readonly graceSeconds: number;
  readonly further: Pick<PodSpec, 'restartPolicy' | 'topologySpreadConstraints'>;
  readonly sysctls: readonly { readonly name: string; readonly value: string }[];
};

/** A volume and where it is mounted. */
export type MountedVolume = { readonly volume: Omit<Volume, 'name'> | 'claimed'; readonly mount: VolumeMount };

/**
 * A pod that may do nothing but its work: not root, on a file system that is read alone, without capabilities and without a token
 * of the API server. Whole cores, with limits like requests, make it Guaranteed: nothing takes them away.
 */
export function podTemplate(
  names: Names,
  { component, container, size, volumes, ...parts }: PodParts,
): PodTemplateSpec {
  const amounts = { cpu: String(size.cores), memory: `${size.memoryMib}Mi` };
  return {
    metadata: {
      labels: selectorLabels(names, component),
      // Who makes clusters smaller is not to move a pod in the middle of a run.
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false', 'karpenter.sh/do-not-disrupt': 'true' },
    },
    spec: {
      ...parts.further,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: parts.graceSeconds,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        seccompProfile: { type: 'RuntimeDefault' },
        ...(parts.sysctls.length > 0 && { sysctls: [...parts.sysctls] }),
      },
      containers: [
        {
          name: component,
          ...container,
          resources: { requests: amounts, limits: amounts },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts: volumes.map(({ mount }) => mount),
        },
      ],
      volumes: volumes.flatMap(({ volume, mount: { name } }) => (volume === 'claimed' ? [] : [{ name, ...volume }])),
    },
  };
}

/** The one place but volumes where a process may write. */
export const SCRATCH: MountedVolume = { volume: { emptyDir: {} }, mount: { name: 'scratch', mountPath: '/tmp' } };
