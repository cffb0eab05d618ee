import type { Container, EnvVar, PodSpec, PodTemplateSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import { VERSION } from '../../ground/kernel/version.ts';
import type { PodSize } from './sizing.ts';

/** Name and namespace of the objects of one run. */
export type Names = {
  /** Name of the coordinator's Job; a prefix of all other objects and labels. */
  readonly name: string;
  /** `undefined` for the namespace of `kubectl apply`. */
  readonly namespace: string | undefined;
};

/** Purpose of a pod of a run. */
export type Component = 'machine' | 'coordinator' | 'nats';

/** Labels that select the pods of one run, all of them or one component. */
export function selectorLabels({ name }: Names, component?: Component): Record<string, string> {
  const common = { 'app.kubernetes.io/name': 'muster', 'app.kubernetes.io/instance': name };
  return component === undefined ? common : { ...common, 'app.kubernetes.io/component': component };
}

/** @param suffix appended to the name of the run; empty for the coordinator's Job. */
export function metadataOf(names: Names, suffix: string, component: Component): ObjectMeta {
  return {
    name: suffix === '' ? names.name : `${names.name}-${suffix}`,
    ...(names.namespace !== undefined && { namespace: names.namespace }),
    labels: { ...selectorLabels(names, component), 'app.kubernetes.io/version': VERSION },
  };
}

/** Name of the run's only Secret, which the user creates. */
export function secretName({ name }: Names): string {
  return `${name}-keys`;
}

/** A variable whose key in the Secret has the same name. */
export function secretVariable(names: Names, key: string): EnvVar {
  return { name: key, valueFrom: { secretKeyRef: { name: secretName(names), key } } };
}

/** The user of both images, as a number: Kubernetes cannot verify that a named user is not root. */
const USER = 1000;

/** Parts that differ between pods. */
type PodParts = {
  readonly component: Component;
  readonly container: Pick<Container, 'image' | 'args' | 'env' | 'ports' | 'startupProbe' | 'readinessProbe'>;
  readonly size: PodSize;
  readonly volumes: readonly MountedVolume[];
  /** Time for work in progress when the pod terminates. */
  readonly graceSeconds: number;
  readonly further: Pick<PodSpec, 'restartPolicy' | 'topologySpreadConstraints'>;
  readonly sysctls: readonly { readonly name: string; readonly value: string }[];
};

export type MountedVolume = { readonly volume: Omit<Volume, 'name'> | 'claimed'; readonly mount: VolumeMount };

/**
 * A pod with minimal permissions: not root, with a read-only file system, without capabilities and without an API server token.
 * Whole cores, with limits equal to requests, give it the quality of service Guaranteed.
 */
export function podTemplate(
  names: Names,
  { component, container, size, volumes, ...parts }: PodParts,
): PodTemplateSpec {
  const amounts = { cpu: String(size.cores), memory: `${size.memoryMib}Mi` };
  return {
    metadata: {
      labels: selectorLabels(names, component),
      // Autoscalers must not move a pod during a run.
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

/** The only writable place other than volumes. */
export const SCRATCH: MountedVolume = { volume: { emptyDir: {} }, mount: { name: 'scratch', mountPath: '/tmp' } };
