import { isLoopback } from '../../kernel/address.ts';
import { addressOfAgent, type ListenRange, writtenAddress } from '../../scenario/listen-range.ts';
import { isPullMode } from '../../scenario/meaning/agent-mode.ts';
import type { AgentKeys, Scenario } from '../../scenario/scenario.ts';
import { sourceAddressesOf } from '../../scenario/source-addresses.ts';
import type { MachineLimits } from '../../system/limits.ts';

const FROM_OUTSIDE = 'from outside; each connection to an agent takes one more file descriptor';

/** Where the agents of a fleet listen, and who asks them; nothing of one that does not listen. */
export function webServerLines(scenario: Scenario, limits: MachineLimits): readonly string[] {
  const { webServer, fleet, target } = scenario;
  if (webServer === undefined) return [];
  const { listen, autoTls, keys } = webServer;
  const mode = isPullMode(scenario) ? 'pull mode' : 'push mode with web server';
  const tls = autoTls ? [`Auto-TLS with ${keysText(keys, fleet.agents)}`] : [];
  return [
    `listen  ${[rangeText(listen, fleet.agents), mode, ...tls].join(', ')}`,
    `pull  ${target.pull === undefined ? FROM_OUTSIDE : pullText(target.pull.concurrency, autoTls)}`,
    ...sharedPorts(scenario, limits),
  ];
}

function rangeText(listen: ListenRange, agents: number): string {
  const [first, last] = [0, agents - 1].map((agent) => writtenAddress(addressOfAgent(listen, agent)));
  return agents === 1 ? `${first}` : `${first} to ${last}`;
}

function keysText({ type, pool }: AgentKeys, agents: number): string {
  if (pool === 'unique') return `a key of ${type} per agent`;
  const keys = Math.min(pool, agents);
  return `${keys} ${keys === 1 ? 'key' : 'keys'} of ${type}`;
}

function pullText(concurrency: number, autoTls: boolean): string {
  if (!autoTls) return 'by the embedded server';
  const exchanges = concurrency === 1 ? 'exchange' : 'exchanges';
  return `by the embedded server, after ${concurrency} ${exchanges} of certificates at a time`;
}

/** The kernel gives a connection any port of its range, also one that an agent is about to listen on. */
function sharedPorts({ webServer, fleet, target, phases }: Scenario, limits: MachineLimits): readonly string[] {
  const range = limits.localPortRange;
  if (webServer?.listen.kind !== 'ports' || range === undefined) return [];
  const { host, firstPort } = webServer.listen;
  const isPushing = phases.some(({ loads }) => loads.length > 0);
  const connectsFrom = target.pull !== undefined || (isPushing && isSourceOf(host, fleet, target.url));
  const lastPort = firstPort + fleet.agents - 1;
  if (!connectsFrom || lastPort < range.first || firstPort > range.last) return [];
  return [
    `! ports ${firstPort} to ${lastPort} overlap those that this machine gives to connections from ${host}, ` +
      `${range.first} to ${range.last}: an agent may find its port taken; end below ${range.first} if you can`,
  ];
}

/** Whether connections to a URL leave from this address; of a target elsewhere they may leave from any but loopback. */
function isSourceOf(host: string, { sourceAddresses }: Scenario['fleet'], url: string): boolean {
  if (sourceAddresses.length > 0 && sourceAddressesOf(sourceAddresses).includes(host)) return true;
  const name = url === 'embedded' ? '127.0.0.1' : new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  const isAny = host === '0.0.0.0' || host === '::';
  return isAny || isLoopback(host) === isLoopback(name);
}
