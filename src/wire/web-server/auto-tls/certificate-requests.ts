import { isAscii } from 'node:buffer';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { AgentFileTexts } from '../../../base/protocol/agent-files.ts';
import { loadX509 } from '../../http/tls.ts';
import type { KeySource } from './keys.ts';

/** Access to an agent's data, by its number in the shard. */
export type RequestPorts = {
  /** Contents of its `agent.key`; `undefined` if there is none. */
  readonly storedKey: (agent: number) => string | undefined;
  /** `''` if the host has no name. */
  readonly hostName: (agent: number) => string;
  /** Resolves when the files are durable. */
  readonly store: (agent: number, files: AgentFileTexts) => Promise<void>;
};

/** Answers `GET /autotls` with PEM. Rejects, which causes a 500, if no readable key is available. */
export type CertificateRequests = (agent: number, domain: string | undefined) => Promise<string>;

/**
 * Creates an agent's key at its first request and keeps it; concurrent requests of an agent share one key. The
 * certificate request is stored beside the key (docs/reference/agent-web-server.md, "TLS levels").
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

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * Creates a certificate request (PKCS#10, PEM) like an agent (docs/reference/agent-web-server.md, "TLS levels"). The common name is the
 * word `subject`; the only alternative name is the domain. Rejects if the key is unreadable, or the domain is not ASCII. Takes 1 to 3 ms.
 */
export async function makeCertificateRequest(keyPem: string, domain: string): Promise<string> {
  if (!isAscii(Buffer.from(domain)))
    throw new Error(`The name ${JSON.stringify(domain)} has characters outside ASCII.`);
  const privateKey = createPrivateKey(keyPem);
  const algorithm = privateKey.asymmetricKeyType === 'ec' ? ECDSA : RSA;
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await loadX509();
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=subject',
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, true, ['sign']),
      publicKey: createPublicKey(privateKey).toCryptoKey(algorithm, true, ['verify']),
    },
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: domain }])],
  });
  return `${request.toString('pem')}\n`;
}
