import { ipv6Groups, numberOfIpv4 } from '../../base/kernel/address.ts';
import { unescaped } from '../../base/protocol/go.ts';

/** A proxy between an agent and its server, as the agent's client reads it from a URL (docs/developers/wire.md, "Proxies"). */
export type AgentProxy = {
  readonly kind: 'http' | 'socks5';
  readonly isSecure: boolean;
  /** Without brackets. Empty, with port 0, if it cannot be dialed. */
  readonly host: string;
  readonly port: number;
  readonly user: ProxyUser | undefined;
};

/** One character per byte. */
type ProxyUser = { readonly name: string; readonly password: string };

/** Environment variables that select a process's proxies. */
export type ProxyVariables = Readonly<Partial<Record<(typeof PROXY_VARIABLES)[number], string>>>;

export const PROXY_VARIABLES = [
  ...(['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'REQUEST_METHOD'] as const),
];

const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, socks5: 1080, socks5h: 1080 };

const PARTS = /^([a-z][a-z\d+.-]*):(?:\/\/(?:([^/?#]*)@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?)?/i;

/** Reads a text that Go parses as a URL; an unknown scheme means HTTP. */
export function proxyOf(text: string): AgentProxy {
  const [, scheme = '', user, host = '', port = ''] = PARTS.exec(text) ?? [];
  const name = scheme.toLowerCase();
  return {
    kind: name.startsWith('socks5') ? 'socks5' : 'http',
    isSecure: name === 'https',
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (PORTS[name] ?? 0) : Number(port),
    user: user === undefined ? undefined : userOf(user),
  };
}

function userOf(text: string): ProxyUser {
  const [, name = '', password = ''] = /^([^:]*):?(.*)$/.exec(text) ?? [];
  const bytesOf = (escaped: string): string => unescaped(Buffer.from(escaped).toString('latin1'));
  return { name: bytesOf(name), password: bytesOf(password) };
}

/** How requests reach a server, with or without a proxy. */
export type ProxyMode =
  | { readonly kind: 'direct' }
  /** Requests are sent to the proxy, with the whole URL in the request line. */
  | { readonly kind: 'forward'; readonly proxy: AgentProxy }
  /** The proxy first opens a connection to the server. */
  | { readonly kind: 'tunnel'; readonly proxy: AgentProxy };

export function proxyMode({ protocol }: Pick<URL, 'protocol'>, proxy: AgentProxy | undefined): ProxyMode {
  if (proxy === undefined) return { kind: 'direct' };
  return { kind: proxy.kind === 'http' && protocol === 'http:' ? 'forward' : 'tunnel', proxy };
}

/** The value of `Proxy-Authorization`; `undefined` if the URL of the proxy names no user. */
export function proxyAuthorization({ user }: AgentProxy): string | undefined {
  return user && `Basic ${Buffer.from(`${user.name}:${user.password}`, 'latin1').toString('base64')}`;
}

/**
 * The proxy that the variables name for a server, as in Go's `http.ProxyFromEnvironment`; `undefined` if there is none. `localhost` and
 * loopback addresses never have one. `refused`: the agent would end, because the variables are those of a CGI script, whose HTTP_PROXY a
 * request may have set.
 */
export function environmentProxy(variables: ProxyVariables, url: URL): string | 'refused' | undefined {
  const isSecure = url.protocol === 'https:';
  const text = isSecure ? variables.HTTPS_PROXY || variables.https_proxy : variables.HTTP_PROXY || variables.http_proxy;
  const proxy = text === undefined || text === '' ? undefined : withScheme(text);
  if (proxy === undefined) return undefined;
  if (!isSecure && variables.REQUEST_METHOD !== undefined && variables.REQUEST_METHOD !== '') return 'refused';
  return isExempt(url, variables.NO_PROXY || variables.no_proxy || '') ? undefined : proxy;
}

/** `host:port` is an HTTP proxy. A text that is still no URL has no host to dial. */
function withScheme(text: string): string | undefined {
  if (/%(?![\da-f]{2})/i.test(text)) return undefined;
  const whole = /^[a-z][a-z\d+.-]*:\/\/[^/?#]/i.test(text) ? text : `http://${text}`;
  return URL.canParse(whole) ? whole : text;
}

function isExempt(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const port = url.port || String(PORTS[url.protocol.slice(0, -1)]);
  const address = bitsOf(host);
  if (host === 'localhost' || (address !== undefined && isLoopbackAddress(address))) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => exempts(entry, { host, port, address }));
}

type Server = { readonly host: string; readonly port: string; readonly address: string | undefined };

/** `*`, a network, an address, or a name with its subdomains. Addresses and names may have a port. */
function exempts(entry: string, { host, port, address }: Server): boolean {
  if (entry === '*') return true;
  const [network = '', length] = entry.split('/');
  const networkBits = bitsOf(network);
  if (length !== undefined && networkBits !== undefined)
    return /^\d+$/.test(length) && address?.length === networkBits.length && sharesBits(address, networkBits, length);
  const [, named = entry, namedPort] = /^(\[[^\]]*\]|[^:]*):(\d*)$/.exec(entry) ?? [];
  if (named === '' || (namedPort !== undefined && namedPort !== '' && namedPort !== port)) return false;
  const namedBits = bitsOf(named.replace(/^\[(.*)\]$/, '$1'));
  if (namedBits !== undefined) return namedBits === address;
  if (address !== undefined) return false;
  const domain = named.replace(/^\*\./, '.');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function sharesBits(address: string, network: string, length: string): boolean {
  return Number(length) <= network.length && address.startsWith(network.slice(0, Number(length)));
}

/** An address as 32 or 128 binary digits; `undefined` for a name. */
function bitsOf(host: string): string | undefined {
  const ipv4 = numberOfIpv4(host);
  if (ipv4 !== undefined) return binary(ipv4, 32);
  return ipv6Groups(host)
    ?.map((group) => binary(group, 16))
    .join('');
}

function binary(value: number, digits: number): string {
  return value.toString(2).padStart(digits, '0');
}

function isLoopbackAddress(bits: string): boolean {
  return bits.length === 32 ? bits.startsWith(binary(127, 8)) : Number.parseInt(bits, 2) === 1;
}
