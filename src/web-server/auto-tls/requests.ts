import type { AgentFileTexts } from '../../protocol/agent-files.ts';
import { makeCertificateRequest } from './certificate-request.ts';
import type { KeySource } from './key-source.ts';

/** What requests for certificates need of an agent, by its number in the shard. */
export type RequestPorts = {
  /** The text of its `agent.key`; undefined if there is none. */
  readonly storedKey: (agent: number) => string | undefined;
  /** `''` if the host has no name. */
  readonly hostName: (agent: number) => string;
  /** Durable when it resolves. */
  readonly store: (agent: number, files: AgentFileTexts) => Promise<void>;
};

/** Answers `GET /autotls`: PEM. Rejects, for a 500, if there is no key to be had or read. */
export type CertificateRequests = (agent: number, domain: string | undefined) => Promise<string>;

/**
 * An agent's key is made at its first request and stays; concurrent requests of an agent share the making. The request
 * is stored beside it (docs/protocol.md, "TLS").
 */
export function createCertificateRequests(newKey: KeySource, ports: RequestPorts): CertificateRequests {
  const making = new Map<number, Promise<string>>();
  const makeKey = async (agent: number): Promise<string> => {
    const key = await newKey(agent);
    await ports.store(agent, { 'agent.key': key });
    return key;
  };
  const keyOf = (agent: number): string | Promise<string> => {
    const known = ports.storedKey(agent) ?? making.get(agent);
    if (known !== undefined) return known;
    const made = makeKey(agent).finally(() => making.delete(agent));
    making.set(agent, made);
    return made;
  };
  return async (agent, domain) => {
    const key = await keyOf(agent);
    const request = await makeCertificateRequest(key, domain || ports.hostName(agent) || 'unknown');
    await ports.store(agent, { 'agent.csr': request });
    return request;
  };
}
