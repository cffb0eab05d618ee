/** Where a server listens or can be reached. The host has no brackets; port 0 means any free port. */
export type Address = { readonly host: string; readonly port: number };

/** Both bounds are included. */
export type PortRange = { readonly first: number; readonly last: number };

const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/;
const NAME = /^(?!-)[\p{L}\p{M}\p{N}_-]+(\.[\p{L}\p{M}\p{N}_-]+)*\.?$/u;
const MAX_PORT = 65_535;
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/** Parses `127.0.0.1:8080`, `[::1]:8080`, or `:8080` for loopback; `undefined` for other texts. */
export function parseAddress(text: string): Address | undefined {
  const [, v6 = '', host = '', digits = ''] = ADDRESS.exec(text) ?? [];
  const port = parsePort(digits);
  const isHost = v6 === '' ? host === '' || NAME.test(host) : ipv6Groups(v6.replace(/%[\w.-]+$/, '')) !== undefined;
  return port === undefined || !isHost ? undefined : { host: v6 || host || '127.0.0.1', port };
}

/** Parses a port from 0 to 65535; `undefined` for other texts. */
export function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT ? Number(text) : undefined;
}

/**
 * The one form in which hosts are compared: `münchen.example.` becomes `xn--mnchen-3ya.example`, `[0:0::1]` becomes `::1`. As URLs write
 * them, but without brackets, and without the final dot, which Go leaves out of TLS and of certificates' names.
 */
export function canonicalHost(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const url = `http://${bare.includes(':') ? `[${bare}]` : bare}`;
  if (/[\s/?#@\\]/.test(bare) || !URL.canParse(url)) return bare.toLowerCase();
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Whether only this machine can reach the host: `localhost`, `::1` or 127.0.0.0/8. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Whether a host is loopback, or allowed by an entry: its own name, or an IPv4 network such as `10.20.0.0/16`. */
export function isAllowedHost(host: string, allow: readonly string[]): boolean {
  return isLoopback(host) || allow.some((entry) => covers(entry, host));
}

function covers(entry: string, host: string): boolean {
  const [network = '', bits] = entry.split('/');
  if (bits === undefined) return canonicalHost(entry) === canonicalHost(host);
  const [first, address] = [numberOfIpv4(network), numberOfIpv4(host)];
  if (first === undefined || address === undefined || !/^\d{1,2}$/.test(bits) || Number(bits) > 32) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(first / size) === Math.floor(address / size);
}

/** The address as written in URLs: `127.20.0.1:3333`, `[::1]:20000`. */
export function addressText({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function addressOf({ hostname, port, protocol }: URL): Address {
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}

/** Parses an IPv4 address as a number; `undefined` if an octet exceeds 255 or has a leading zero, which some programs read as octal. */
export function numberOfIpv4(text: string): number | undefined {
  const octets = text.split('.').map(Number);
  if (octets.length !== 4 || octets.join('.') !== text || octets.some((octet) => octet > 255)) return undefined;
  return octets.reduce((sum, octet) => sum * 256 + octet, 0);
}

/** The eight groups of an IPv6 address without brackets; `undefined` for other texts. */
export function ipv6Groups(text: string): readonly number[] | undefined {
  const url = `http://[${text}]`;
  if (!text.includes(':') || !URL.canParse(url)) return undefined;
  const [front = [], back = []] = new URL(url).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')));
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return groups.map((group) => Number.parseInt(group, 16));
}

/** The IPv4 address with this number; the inverse of `numberOfIpv4`. */
export function ipv4Of(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
