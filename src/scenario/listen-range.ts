import { type Address, addressText, ipv4Of, numberOfIpv4 } from '../base/kernel/address.ts';

/** Listen addresses of a fleet: each agent has its own address or port, by index in the fleet. */
export type ListenRange =
  /** One address per agent, all with the same port: agent n listens on the network address plus n + 1. */
  | { readonly kind: 'addresses'; readonly network: number; readonly prefixBits: number; readonly port: number }
  /** One port per agent, all on the same address: agent n listens on the first port plus n. `host` has no brackets. */
  | { readonly kind: 'ports'; readonly host: string; readonly firstPort: number };

/** An IPv4 address in a pattern; it also matches some invalid ones. */
export const IPV4_PATTERN = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
const NETWORK = new RegExp(`^(${IPV4_PATTERN})/(\\d{1,2}):(\\d{1,5})$`);
const PORTS = new RegExp(`^(?:(${IPV4_PATTERN})|\\[([0-9A-Fa-f:.]+)\\]):(\\d{1,5})\\+$`);

/** The notation of a range for a JSON Schema; it also matches some invalid ranges. */
export const LISTEN_RANGE = new RegExp(`${NETWORK.source}|${PORTS.source}`);

const PORT_COUNT = 65_536;

/** Parses `127.20.0.0/16:3333`, `127.0.0.1:20000+` or `[::1]:20000+`; `undefined` for anything else. */
export function parseListenRange(text: string): ListenRange | undefined {
  const [, ipv4 = '', bits = '', onPort = ''] = NETWORK.exec(text) ?? [];
  if (ipv4 !== '') {
    const [network, prefixBits, port] = [numberOfIpv4(ipv4), Number(bits), Number(onPort)];
    const isRange = network !== undefined && prefixBits <= 32 && isPort(port);
    return isRange ? { kind: 'addresses', network, prefixBits, port } : undefined;
  }
  const [, v4 = '', v6 = '', first = ''] = PORTS.exec(text) ?? [];
  const isHost = v6 === '' ? numberOfIpv4(v4) !== undefined : URL.canParse(`http://[${v6}]`);
  return isHost && isPort(Number(first)) ? { kind: 'ports', host: v6 || v4, firstPort: Number(first) } : undefined;
}

export function formatListenRange(range: ListenRange): string {
  if (range.kind === 'addresses') return `${ipv4Of(range.network)}/${range.prefixBits}:${range.port}`;
  return `${addressText({ host: range.host, port: range.firstPort })}+`;
}

/** The listen address of an agent. Throws a RangeError beyond the range, which earlier checks rule out. */
export function addressOfAgent(range: ListenRange, agent: number): Address {
  if (agent >= listenersIn(range))
    throw new RangeError(`${formatListenRange(range)} has no address for agent ${agent}`);
  if (range.kind === 'ports') return { host: range.host, port: range.firstPort + agent };
  return { host: ipv4Of(range.network + 1 + agent), port: range.port };
}

/** The number of agents that fit in the range. Agents do not use the network address or the broadcast address. */
export function listenersIn(range: ListenRange): number {
  if (range.kind === 'ports') return PORT_COUNT - range.firstPort;
  return Math.max(0, 2 ** (32 - range.prefixBits) - 2);
}

/** The same range with the network address as its base. */
export function alignedRange(range: ListenRange): ListenRange {
  if (range.kind === 'ports') return range;
  const size = 2 ** (32 - range.prefixBits);
  return { ...range, network: Math.floor(range.network / size) * size };
}

function isPort(port: number): boolean {
  return port > 0 && port < PORT_COUNT;
}
