import type { NetworkPolicy, NetworkPolicyIngressRule } from 'kubernetes-types/networking/v1.js';
import type { WebServer } from '../../scenario/web-server.ts';
import { metadataOf, type Names, selectorLabels } from './pod.ts';

type Reach = {
  /** `undefined` if the agents do not listen. */
  readonly webServer: Pick<WebServer, 'listen'> | undefined;
  readonly agents: number;
  readonly ownNats: boolean;
};

/**
 * Restricts incoming connections to the pods of a run: none to the coordinator, to machines only if agents listen, and to NATS only
 * from pods of the run. Outgoing connections are not restricted, because the target may be anywhere and has a name.
 */
export function networkPolicies(
  names: Names,
  { webServer, agents, ownNats }: Reach,
): readonly { readonly comment: string; readonly object: NetworkPolicy }[] {
  const machines = policy(names, 'machine', webServer === undefined ? [] : [agentPorts(webServer, agents)]);
  const nats = policy(names, 'nats', [
    {
      from: [{ podSelector: { matchLabels: selectorLabels(names) } }],
      ports: [{ port: 'client' as const, protocol: 'TCP' }],
    },
  ]);
  const coordinator = policy(names, 'coordinator', []);
  const listening =
    webServer === undefined ? 'Deny all connections to machines.' : 'Allow pollers of agents to connect to machines.';
  return [
    ...(ownNats ? [{ comment: 'Allow only the pods of this run to connect to NATS.', object: nats }] : []),
    { comment: listening, object: machines },
    { comment: 'Deny all connections to the coordinator.', object: coordinator },
  ];
}

function policy(
  names: Names,
  component: 'machine' | 'coordinator' | 'nats',
  ingress: NetworkPolicyIngressRule[],
): NetworkPolicy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(names, component, component),
    spec: { podSelector: { matchLabels: selectorLabels(names, component) }, policyTypes: ['Ingress'], ingress },
  };
}

function agentPorts({ listen }: Pick<WebServer, 'listen'>, agents: number): NetworkPolicyIngressRule {
  if (listen.kind !== 'ports') return {};
  return { ports: [{ port: listen.firstPort, endPort: listen.firstPort + agents - 1, protocol: 'TCP' }] };
}
