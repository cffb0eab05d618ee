import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Service } from 'kubernetes-types/core/v1.js';
import {
  type MountedVolume,
  metadataOf,
  type Names,
  podTemplate,
  secretName,
  secretVariable,
  selectorLabels,
} from './pod.ts';
import type { PodSize } from './sizing.ts';

const CLIENT_PORT = 4222;
const MONITORING_PORT = 8222;
const STORE_PATH = '/data';
const CONFIG_PATH = '/etc/nats';
const TLS_PATH = '/etc/nats-tls';
const CONFIG_FILE = 'nats.conf';

/** The NATS user of machines and coordinator; the Secret has the password. */
export const NATS_USER = 'muster';
export const NATS_PASSWORD = 'MUSTER_NATS_PASSWORD';
/** Keys in the Secret: the certificate of NATS, which is its own authority, and the private key. */
export const NATS_CERTIFICATE = 'tls.crt';
export const NATS_KEY = 'tls.key';

/** A NATS server for this run only. */
export type OwnNats = {
  readonly image: string;
  readonly size: PodSize;
  /** For streams and buckets. */
  readonly storageGib: number;
  /** `undefined` for the cluster's default. */
  readonly storageClass: string | undefined;
};

function natsHost({ name }: Names): string {
  return `${name}-nats`;
}

export function natsUrl(names: Names): string {
  return `tls://${natsHost(names)}:${CLIENT_PORT}`;
}

/** One server with JetStream on a volume, over TLS only and for one user, with its configuration and service. */
export function natsObjects(names: Names, nats: OwnNats): readonly [ConfigMap, Service, StatefulSet] {
  return [natsConfig(names, nats), natsService(names), natsServer(names, nats)];
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Share of the volume for JetStream, which must report that it is full before the disk does. */
const STORE_SHARE = 0.9;

function natsConfig(names: Names, { storageGib }: OwnNats): ConfigMap {
  const lines = [
    `server_name: ${natsHost(names)}`,
    `port: ${CLIENT_PORT}`,
    `http: ${MONITORING_PORT}`,
    // A one-second frame, a document and an answer about many agents fit in one message.
    `max_payload: ${8 * MIB}`,
    `jetstream { store_dir: ${STORE_PATH}, max_memory_store: ${64 * MIB}, max_file_store: ${Math.floor(storageGib * STORE_SHARE * GIB)} }`,
    `tls { cert_file: ${TLS_PATH}/${NATS_CERTIFICATE}, key_file: ${TLS_PATH}/${NATS_KEY} }`,
    `authorization { user: ${NATS_USER}, password: $${NATS_PASSWORD} }`,
    '',
  ];
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadataOf(names, 'nats', 'nats'),
    data: { [CONFIG_FILE]: lines.join('\n') },
  };
}

/** Headless: the name resolves to the address of the only server. */
function natsService(names: Names): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(names, 'nats', 'nats'),
    spec: {
      clusterIP: 'None',
      selector: selectorLabels(names, 'nats'),
      ports: [{ name: 'client', port: CLIENT_PORT, targetPort: 'client' }],
    },
  };
}

function natsServer(names: Names, { image, size, storageGib, storageClass }: OwnNats): StatefulSet {
  const template = podTemplate(names, {
    component: 'nats',
    container: {
      image,
      args: ['--config', `${CONFIG_PATH}/${CONFIG_FILE}`],
      // Go's garbage collector must know the limit, because the kernel kills a server that exceeds it.
      env: [
        secretVariable(names, NATS_PASSWORD),
        { name: 'GOMEMLIMIT', value: `${Math.floor(size.memoryMib * 0.9)}MiB` },
      ],
      ports: [
        { name: 'client', containerPort: CLIENT_PORT },
        { name: 'monitoring', containerPort: MONITORING_PORT },
      ],
      startupProbe: { ...probe('/healthz'), failureThreshold: 60 },
      readinessProbe: probe('/healthz'),
    },
    size,
    volumes: natsVolumes(names),
    graceSeconds: 60,
    further: {},
    sysctls: [],
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadataOf(names, 'nats', 'nats'),
    spec: {
      serviceName: natsHost(names),
      replicas: 1,
      selector: { matchLabels: selectorLabels(names, 'nats') },
      template,
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'store' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            ...(storageClass !== undefined && { storageClassName: storageClass }),
            resources: { requests: { storage: `${storageGib}Gi` } },
          },
        },
      ],
    },
  };
}

function probe(path: string) {
  return { httpGet: { path, port: 'monitoring' }, periodSeconds: 5, timeoutSeconds: 3 };
}

function natsVolumes(names: Names): readonly MountedVolume[] {
  return [
    {
      volume: { configMap: { name: natsHost(names) } },
      mount: { name: 'config', mountPath: CONFIG_PATH, readOnly: true },
    },
    {
      volume: {
        secret: {
          secretName: secretName(names),
          items: [NATS_CERTIFICATE, NATS_KEY].map((key) => ({ key, path: key })),
        },
      },
      mount: { name: 'tls', mountPath: TLS_PATH, readOnly: true },
    },
    { volume: 'claimed', mount: { name: 'store', mountPath: STORE_PATH } },
  ];
}
