import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readHostData } from '../../../src/base/storage/host-data.ts';
import {
  type ExistingNats,
  fetched,
  type ManifestOrder,
  manifestOf,
} from '../../../src/cluster/kubernetes/manifest.ts';
import { planOf } from '../../../src/scenario/planning/plan.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const SCENARIO = `
description: 'Does it carry $\${NAME} agents?'
target:
  url: https://mon.example/path?token=HIDDEN
  apiKey: TOPSECRET
  allow: [mon.example, proxy.example]
  proxy: http://somebody:PASSWORD@proxy.example:3128
  tls: { verify: true, ca: authority.pem }
fleet: { agents: 20000, payload: typical }
phases:
  - name: steady
    duration: 10m
    checkdata: { every: 30s }
`;

const LISTENING = `
target: { url: 'https://mon.example', allow: [mon.example] }
fleet: { agents: 300 }
webServer: { listen: '0.0.0.0:20000+', allowListen: [0.0.0.0] }
phases: [{ name: steady, duration: 1m }]
`;

const TEMPLATE = readFileSync(join(import.meta.dirname, '../../../src/cluster/kubernetes/manifest.yaml'), 'utf8');

const EXISTING: ExistingNats = {
  kind: 'existing',
  url: 'tls://nats.example:4222',
  authority: undefined,
  login: 'user',
};

const PLACEMENT: ManifestOrder['placement'] = {
  nodeSelector: { pool: 'load' },
  tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'load', effect: 'NoSchedule' }],
};

type Wishes = Partial<Omit<ManifestOrder, 'template' | 'scenario' | 'plan'>>;

const planned = new Map<string, Pick<ManifestOrder, 'scenario' | 'plan'>>();

function plannedOf(text: string): Pick<ManifestOrder, 'scenario' | 'plan'> {
  const known = planned.get(text);
  if (known !== undefined) return known;
  const scenario = scenarioOf(text);
  const order = { scenario, plan: planOf(scenario, readHostData()) };
  planned.set(text, order);
  return order;
}

function orderOf(text: string, wishes: Wishes = {}): ManifestOrder {
  return {
    ...plannedOf(text),
    template: TEMPLATE,
    kind: 'run',
    authority: undefined,
    machines: 20,
    names: { name: 'steady', namespace: 'load' },
    image: 'muster:0.1.0',
    storageClass: undefined,
    cores: undefined,
    memoryMib: undefined,
    nats: { kind: 'own', image: 'nats:2.11-alpine' },
    placement: { nodeSelector: undefined, tolerations: undefined },
    ...wishes,
  };
}

function textOf(text: string, wishes: Wishes = {}): string {
  return manifestOf(orderOf(text, wishes)).text;
}

type Mount = { readonly name: string; readonly mountPath: string };
type Container = {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly valueFrom?: { secretKeyRef: { name: string; key: string } };
  }[];
  readonly resources: Record<'requests' | 'limits', { readonly cpu: string; readonly memory: string }>;
  readonly securityContext: object;
  readonly volumeMounts: readonly Mount[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
};
type Volume = {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: {
    readonly secretName?: string;
    readonly name?: string;
    readonly items: readonly { readonly key: string }[];
  };
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly projected?: { readonly sources: readonly Pick<Volume, 'configMap' | 'secret'>[] };
};
type Pod = {
  readonly metadata: { readonly labels: Record<string, string> };
  readonly spec: {
    readonly containers: readonly [Container];
    readonly volumes: readonly Volume[];
    readonly securityContext: { readonly sysctls?: unknown };
    readonly automountServiceAccountToken: boolean;
  };
};
type Applied = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Record<string, string>;
  readonly spec?: Record<string, unknown> & { readonly template?: Pod };
};

// Parsed as YAML 1.1, as Kubernetes does.
const read = (text: string): Applied[] => parseAllDocuments(text, { version: '1.1' }).map((one) => one.toJS());
const sourcesOf = (volumes: readonly Volume[]): readonly Omit<Volume, 'name'>[] =>
  volumes.flatMap((volume) => volume.projected?.sources ?? [volume]);
const podsOf = (objects: readonly Applied[]) => objects.flatMap(({ spec }) => spec?.template ?? []);
const objectOf = (objects: readonly Applied[], kind: string, name: string): Applied => {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
};
const argsOf = (objects: readonly Applied[], job: string) =>
  objectOf(objects, 'Job', job).spec?.template?.spec.containers[0].args;

type Manifest = { readonly text: string; readonly objects: readonly Applied[] };

const ORDERED: readonly (readonly [string, string, Wishes])[] = [
  ['with its own NATS', SCENARIO, { authority: 'PEM', storageClass: 'fast' }],
  ['with an existing NATS', SCENARIO, { nats: EXISTING }],
  ['with an existing NATS of another authority', SCENARIO, { nats: { ...EXISTING, authority: 'PEM', login: 'creds' } }],
  ['of a kept fleet on some nodes', SCENARIO, { kind: 'fleet', placement: PLACEMENT }],
  ['of a kept fleet with an NKey', SCENARIO, { kind: 'fleet', nats: { ...EXISTING, login: 'nkey' } }],
  ['with agents that listen', LISTENING, { names: { name: 'asked', namespace: undefined } }],
  ['with more ports than the default', SCENARIO.replace('20000', '50000'), { machines: 1 }],
];
const MANIFESTS = ORDERED.map(([title, scenario, wishes]): readonly [string, Manifest] => {
  const text = textOf(scenario, wishes);
  return [title, { text, objects: read(text) }];
});

describe.each(['v1.35', 'v1.36', 'v1.37'])('Kubernetes %s', (version) => {
  const published = JSON.parse(readFileSync(join(import.meta.dirname, `schemas/${version}.json`), 'utf8'));
  const ajv = new Ajv({
    strict: false,
    formats: { byte: true, int32: true, int64: true, double: true, 'int-or-string': true, 'date-time': true },
  });
  ajv.addSchema(published, 'kubernetes');

  const problemsOf = (object: Applied) => {
    const group = object.apiVersion.split('/').at(-2)?.split('.')[0] ?? 'core';
    const definition = `io.k8s.api.${group}.v1.${object.kind}`;
    const validate = ajv.getSchema(`kubernetes#/$defs/${definition}`);
    if (validate === undefined) throw new Error(`no schema of ${definition}`);
    validate(object);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${object.kind}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };

  it.each(MANIFESTS)('accepts every object of a manifest %s, and all its members', (_, { objects }) => {
    expect(objects.length).toBeGreaterThan(4);
    expect(objects.flatMap(problemsOf)).toEqual([]);
  });

  it('rejects an unknown member, one of another type, and a missing one', () => {
    const job = objectOf(read(textOf(SCENARIO)), 'Job', 'steady-machines');
    expect(problemsOf({ ...job, spec: { ...job.spec, completion: 3 } as never })).toHaveLength(1);
    expect(problemsOf({ ...job, spec: { ...job.spec, completions: '3' } as never })).toHaveLength(1);
    expect(problemsOf({ ...job, spec: { completions: 3 } })).toHaveLength(1);
  });
});

describe.each(MANIFESTS)('a manifest %s', (_, { text, objects }) => {
  const pods = podsOf(objects);

  it('has pods with minimal privileges', () => {
    for (const { spec } of pods) {
      const [container] = spec.containers;
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    expect(pods.length).toBeGreaterThanOrEqual(2);
  });

  it('gives each pod whole cores, and limits equal to its requests', () => {
    for (const { spec } of pods) {
      const { requests, limits } = spec.containers[0].resources;
      expect(limits).toEqual(requests);
      expect(requests).toEqual({ cpu: expect.stringMatching(/^\d+$/), memory: expect.stringMatching(/^\d+Mi$/) });
    }
  });

  it('mounts exactly the volumes of its pods, and these refer to existing objects', () => {
    for (const { spec } of pods) {
      const [{ volumeMounts }] = spec.containers;
      const claimed = objects.flatMap((one) => (one.spec?.volumeClaimTemplates as { metadata: Mount }[]) ?? []);
      const names = [...spec.volumes, ...claimed.map(({ metadata }) => metadata)].map(({ name }) => name);
      expect(volumeMounts.filter(({ name }) => !names.includes(name))).toEqual([]);
      expect(spec.volumes.filter(({ name }) => !volumeMounts.some((mount) => mount.name === name))).toEqual([]);
      for (const { configMap, persistentVolumeClaim } of sourcesOf(spec.volumes)) {
        if (configMap !== undefined) objectOf(objects, 'ConfigMap', configMap.name);
        if (persistentVolumeClaim !== undefined)
          objectOf(objects, 'PersistentVolumeClaim', persistentVolumeClaim.claimName);
      }
    }
  });

  it('uses exactly the keys of the Secret that the comment at its beginning creates', () => {
    const [head = ''] = text.split('---');
    const put = [...head.matchAll(/--from-(?:literal|file)=([\w.]+)/g)].map(([, key]) => key);
    const asked = pods.flatMap(({ spec }) => [
      ...spec.containers[0].env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []),
      ...sourcesOf(spec.volumes).flatMap(
        ({ secret }) => secret?.items.map(({ key }) => ({ name: secret.secretName ?? secret.name, key })) ?? [],
      ),
    ]);
    expect(new Set(asked.map(({ key }) => key))).toEqual(new Set(put));
    expect(new Set(asked.map(({ name }) => name)).size).toBe(1);
    expect(head).toContain(`secret generic ${asked[0]?.name}`);
  });

  it('contains no secret of the scenario', () => {
    expect(text).not.toMatch(/TOPSECRET|HIDDEN|somebody/);
  });
});

describe('the scenario in a manifest', () => {
  const objects = read(textOf(SCENARIO, { authority: 'PEM' }));
  const { data = {} } = objectOf(objects, 'ConfigMap', 'steady-scenario');

  it("reads back unchanged in the coordinator's pod, with the secrets from its environment", () => {
    const env = {
      MUSTER_API_KEY: 'TOPSECRET',
      MUSTER_TARGET_QUERY: 'token=HIDDEN',
      MUSTER_PROXY_USER: 'somebody:PASSWORD',
    };
    const before = scenarioOf(SCENARIO);
    const tls = { ...before.target.tls, caFile: '/etc/muster/ca.pem' };
    const expected: Scenario = { ...before, target: { ...before.target, tls } };
    expect(scenarioOf(data['scenario.yaml'] ?? '', [], env)).toEqual(expected);
    const [{ env: given = [] } = {}] = podsOf([objectOf(objects, 'Job', 'steady')]).map(
      ({ spec }) => spec.containers[0],
    );
    expect(given.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(env)));
    expect(data['ca.pem']).toBe('PEM');
  });

  it('is available only to its coordinator, and so are its secrets', () => {
    const [machine] = podsOf([objectOf(objects, 'Job', 'steady-machines')]);
    expect(machine?.spec.volumes.flatMap(({ configMap }) => configMap ?? [])).toEqual([]);
    const names = machine?.spec.containers[0].env.map(({ name }) => name);
    expect(names).not.toContain('MUSTER_API_KEY');
    expect(names).toContain('MUSTER_CLUSTER_KEY');
  });
});

describe('the coordinator of a manifest', () => {
  const objects = read(textOf(SCENARIO));

  it('resumes its own run in a new pod after it was killed, and does not start another after a verdict', () => {
    const { spec } = objectOf(objects, 'Job', 'steady');
    expect(argsOf(objects, 'steady')).toEqual(expect.arrayContaining(['--resume', 'steady-$(JOB_UID)']));
    expect(spec?.template?.spec.containers[0].env).toContainEqual({
      name: 'JOB_UID',
      valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/controller-uid']" } },
    });
    expect(spec).toMatchObject({ backoffLimit: 6, template: { spec: { restartPolicy: 'Never' } } });
    // A pod that was stopped in order has ended its run, even on a node that is drained.
    expect(spec?.podFailurePolicy).toMatchObject({ rules: [{ action: 'FailJob' }, { action: 'Ignore' }] });
  });

  it('can be reached by scrapers and by muster ctl at its Service', () => {
    for (const kind of ['run', 'fleet'] as const) {
      const some = read(textOf(SCENARIO, { kind }));
      const { selector, ports } = objectOf(some, 'Service', 'steady').spec as {
        readonly selector: object;
        readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
      };
      const pod = objectOf(some, kind === 'run' ? 'Job' : 'StatefulSet', 'steady').spec?.template;
      expect(pod?.metadata.labels).toEqual(selector);
      const own = pod?.spec.containers[0].ports?.map(({ name, containerPort }) => ({
        port: containerPort,
        targetPort: name,
      }));
      expect(own).toEqual(ports.map(({ port, targetPort }) => ({ port, targetPort })));
      const open = objectOf(some, 'NetworkPolicy', 'steady-coordinator').spec?.ingress;
      expect(open).toEqual([{ ports: ports.map(({ targetPort: port }) => ({ port, protocol: 'TCP' })) }]);
    }
  });

  it('waits for machines, because they and their NATS may start later', () => {
    expect(argsOf(objects, 'steady')).toEqual(
      expect.arrayContaining(['--machines', '20', '--replace', '--wait', '30m']),
    );
    const waits = podsOf(objects).map(({ spec }) =>
      spec.containers[0].env.find(({ name }) => name === 'MUSTER_NATS_WAIT'),
    );
    expect(waits.filter((wait) => wait !== undefined)).toHaveLength(2);
  });
});

describe('a manifest of a kept fleet', () => {
  const objects = read(textOf(SCENARIO, { kind: 'fleet', placement: PLACEMENT }));

  it('restarts machines and coordinator whenever they end, and keeps the data of the fleet', () => {
    const [machines, coordinator] = [
      objectOf(objects, 'Deployment', 'steady-machines').spec,
      objectOf(objects, 'StatefulSet', 'steady').spec,
    ];
    expect(machines).toMatchObject({ replicas: 20, template: { spec: { restartPolicy: 'Always' } } });
    expect(machines?.template?.spec.containers[0].args).toEqual(['join', 'tls://steady-nats:4222']);
    expect(coordinator).toMatchObject({
      replicas: 1,
      serviceName: 'steady',
      template: { spec: { restartPolicy: 'Always' } },
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    });
    const { args, volumeMounts } = coordinator?.template?.spec.containers[0] ?? {};
    expect(args).toEqual(expect.arrayContaining(['fleet', '--data', '/work/data', '--machines', '20', '--replace']));
    expect(volumeMounts).toContainEqual({ name: 'data', mountPath: '/work' });
    expect(objects.map(({ kind }) => kind)).not.toContain('Job');
  });

  it('has pods only on the nodes that the user names', () => {
    for (const { spec } of podsOf(objects)) expect(spec).toMatchObject(PLACEMENT);
    for (const { spec } of podsOf(read(textOf(SCENARIO)))) expect(Object.keys(spec)).not.toContain('nodeSelector');
  });
});

describe('what a manifest keeps', () => {
  it('is fetched with one command, whose pod has the volume of the results', () => {
    const order = { kind: 'run', names: { name: 'steady', namespace: 'load' } } as const;
    const { command } = fetched(order);
    expect(textOf(SCENARIO)).toContain(`#   ${command}\n`);
    expect(command).toContain('exec --namespace load deployment/steady-results -- tar -cz -C /work results | tar -xz');
    const { spec } = objectOf(read(textOf(SCENARIO)), 'Deployment', 'steady-results');
    expect(spec).toMatchObject({ replicas: 0 });
    expect(spec?.template?.spec.volumes).toEqual([
      { name: 'results', persistentVolumeClaim: { claimName: 'steady-results' } },
    ]);
    expect(fetched({ ...order, kind: 'fleet' }).command).toBe(
      'kubectl exec --namespace load statefulset/steady -- tar -cz -C /work data | tar -xz',
    );
  });
});

describe('an existing NATS of a manifest', () => {
  const variablesOf = (nats: ExistingNats) => {
    const machine = objectOf(read(textOf(SCENARIO, { nats })), 'Job', 'steady-machines').spec?.template;
    return (machine?.spec.containers[0].env ?? []).filter(({ name }) => /NATS_(?!WAIT)/.test(name));
  };
  const secret = (key: string) => ({ name: key, valueFrom: { secretKeyRef: { name: 'steady-keys', key } } });

  it('gets its credentials from the Secret, and its authority from a file', () => {
    expect(variablesOf(EXISTING)).toEqual(['MUSTER_NATS_USER', 'MUSTER_NATS_PASSWORD'].map(secret));
    expect(variablesOf({ ...EXISTING, login: 'creds', authority: 'PEM' })).toEqual([
      { name: 'MUSTER_NATS_CREDS', value: '/etc/muster-nats/nats.creds' },
      { name: 'MUSTER_NATS_CA', value: '/etc/muster-nats/ca.pem' },
    ]);
    expect(variablesOf({ ...EXISTING, login: 'nkey' })).toEqual([
      { name: 'MUSTER_NATS_NKEY', value: '/etc/muster-nats/nats.nkey' },
    ]);
    const [scenario] = read(textOf(SCENARIO, { nats: { ...EXISTING, authority: 'PEM' } }));
    expect(scenario?.data?.['nats-ca.pem']).toBe('PEM');
  });
});

describe('the machines of a manifest', () => {
  const { spec } = objectOf(read(textOf(SCENARIO)), 'Job', 'steady-machines');

  it('are a pod per index, which is restarted after a failure but not after a refusal', () => {
    expect(spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 20,
      parallelism: 20,
      backoffLimitPerIndex: 3,
    });
    expect(spec?.podFailurePolicy).toMatchObject({
      rules: [{ action: 'Ignore' }, { action: 'FailIndex', onExitCodes: { operator: 'In', values: [104, 112] } }],
    });
  });

  it('are spread over nodes by labels that they have', () => {
    const template = spec?.template as Pod & { spec: { topologySpreadConstraints: [{ labelSelector: object }] } };
    expect(template.spec.topologySpreadConstraints).toMatchObject([
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: template.metadata.labels } },
    ]);
  });

  it('join the same NATS as the coordinator, new or existing', () => {
    const own = read(textOf(SCENARIO));
    expect(argsOf(own, 'steady-machines')).toContain('tls://steady-nats:4222');
    expect(argsOf(own, 'steady')).toContain('tls://steady-nats:4222');
    objectOf(own, 'Service', 'steady-nats');
    const existing = read(textOf(SCENARIO, { nats: EXISTING }));
    expect(argsOf(existing, 'steady-machines')).toContain('tls://nats.example:4222');
    expect(argsOf(existing, 'steady')).toContain('tls://nats.example:4222');
    expect(existing.map(({ kind }) => kind)).not.toContain('StatefulSet');
  });

  it("accept connections only if agents listen, and only at the agents' ports", () => {
    const ingress = (text: string, name: string) => objectOf(read(textOf(text)), 'NetworkPolicy', name).spec?.ingress;
    expect(ingress(SCENARIO, 'steady-machine')).toEqual([]);
    expect(ingress(LISTENING, 'steady-machine')).toEqual([
      { ports: [{ port: 20000, endPort: 20299, protocol: 'TCP' }] },
    ]);
  });

  it('get more local ports if the default range is too small', () => {
    const sysctls = (wishes: Wishes, agents = '20000') =>
      podsOf([objectOf(read(textOf(SCENARIO.replace('20000', agents), wishes)), 'Job', 'steady-machines')])[0]?.spec
        .securityContext.sysctls;
    expect(sysctls({ machines: 20 })).toBeUndefined();
    expect(sysctls({ machines: 1 }, '50000')).toEqual([{ name: 'net.ipv4.ip_local_port_range', value: '1024 65535' }]);
  });

  it('get twice the cores that their part of the pushes keeps busy, and two for an unknown rate', () => {
    const coresOf = (load: string, machines = 2) =>
      manifestOf(orderOf(SCENARIO.replace('every: 30s', load).replace('typical', 'lean'), { machines })).needs.cores;
    // 110 µs per push; lean documents add little.
    const busy = (perSecond: number) => perSecond * 110e-6;
    for (const perSecond of [40_000, 80_000]) {
      expect(coresOf(`rate: ${perSecond}/s`)).toBeGreaterThanOrEqual(2 * busy(perSecond / 2));
      expect(coresOf(`rate: ${perSecond}/s`)).toBeLessThan(3 * busy(perSecond / 2));
    }
    expect(coresOf('concurrency: 20')).toBe(2);
  });

  it('get the resources that the plan needs, or the requested ones', () => {
    const { needs: one } = manifestOf(orderOf(SCENARIO, { machines: 1 }));
    const { needs: many } = manifestOf(orderOf(SCENARIO, { machines: 20 }));
    expect(one.memoryMib).toBeGreaterThan(many.memoryMib);
    expect(one.fileDescriptors).toBe(20_064);
    const busy = SCENARIO.replace('30s', '1s');
    expect(manifestOf(orderOf(busy, { machines: 1 })).needs.cores).toBeGreaterThan(
      manifestOf(orderOf(busy, { machines: 20 })).needs.cores,
    );
    expect(manifestOf(orderOf(SCENARIO, { cores: 7, memoryMib: 512 })).needs).toMatchObject({
      cores: 7,
      memoryMib: 512,
    });
  });
});

describe('a manifest is refused', () => {
  const refused =
    (text: string, wishes: Wishes = {}) =>
    () =>
      manifestOf(orderOf(text, wishes));

  it('if a machine needs more ports than a pod has, and the error names a sufficient number of machines', () => {
    expect(refused(SCENARIO.replace('20000', '200000'), { machines: 3 })).toThrow(
      /each of 3 machines needs 66667 local ports, expected up to 64512.*use 4 machines or more/,
    );
  });

  it('if it needs addresses that no pod has', () => {
    expect(refused(SCENARIO.replace('payload', 'sourceAddresses: [192.0.2.7], payload'))).toThrow(
      'fleet.sourceAddresses: expected none, because a pod has a single address',
    );
    const addresses = LISTENING.replace('0.0.0.0:20000+', '10.1.0.0/16:3333').replace('[0.0.0.0]', '[10.1.0.0/16]');
    expect(refused(addresses)).toThrow('webServer.listen: expected one address and a range of ports');
  });

  it('if the scenario is larger than a ConfigMap', () => {
    const text = SCENARIO.replace('Does it', 'Does it '.repeat(150_000));
    expect(refused(text)).toThrow(/^The scenario: expected up to 1000000 bytes/);
  });
});

it('all volumes of a manifest have the storage class that the user names', () => {
  const text = textOf(SCENARIO, { storageClass: 'fast' });
  expect(text.match(/storage: \d+Gi/g)).toHaveLength(2);
  expect(text.match(/storageClassName: fast/g)).toHaveLength(2);
});

describe('the volume of NATS in a manifest', () => {
  it('grows with machines, and hardly with hours, and JetStream is full before it is', () => {
    const sizeOf = (machines: number, hours: number) => {
      const text = textOf(SCENARIO.replace('duration: 10m', `duration: ${hours}h`), { machines });
      const gib = Number(/storage: (\d+)Gi/.exec(text)?.[1]);
      expect(Number(/max_file_store: (\d+)/.exec(text)?.[1])).toBe(Math.floor(gib * 2 ** 30 * 0.9));
      return gib;
    };
    expect([sizeOf(1, 1), sizeOf(50, 1), sizeOf(500, 1), sizeOf(50, 24)]).toEqual([1, 2, 12, 4]);
    expect(textOf(SCENARIO)).toContain('# NATS stores up to 454 MB, if the coordinator is never away');
  });
});

describe('the text of a manifest', () => {
  it('equals the golden file', async () => {
    await expect(textOf(SCENARIO, { authority: 'PEM' })).toMatchFileSnapshot('golden/manifest.yaml');
  });

  it('quotes words that YAML 1.1 parsers would not read as text', () => {
    const text = textOf(SCENARIO.replace('payload: typical', 'payload: typical, seed: 7'), {
      names: { name: 'on', namespace: 'y' },
    });
    const names = read(text).map(({ metadata }) => metadata.namespace);
    expect(new Set(names)).toEqual(new Set(['y']));
    expect(text).toContain('namespace: "y"');
  });
});
