import { DAY_MS } from '../../base/kernel/units.ts';
import { type Authority, makeAuthority, openSigner } from '../../wire/poller/authority.ts';
import { makeCertificateRequest } from '../../wire/web-server/auto-tls/certificate-requests.ts';
import { makeKey } from '../../wire/web-server/auto-tls/keys.ts';
import type { SessionSettings } from './session.ts';

/** More than certificates of agents are valid. */
const LONG_AGO_MS = 5000 * DAY_MS;

/** Certificates of the clients that cases play: of this authority, and of another one. */
export async function openAuthority(authority: Authority): Promise<NonNullable<SessionSettings['authority']>> {
  const signer = await openSigner(authority, Date.now);
  const foreign = await makeAuthority({ systemId: 'another', keyType: 'ecdsa-p256', nowMs: Date.now() });
  const key = await makeKey('ecdsa-p256');
  const request = await makeCertificateRequest(key, 'another-agent');
  const expired = await openSigner(authority, () => Date.now() - LONG_AGO_MS);
  return {
    signer,
    clients: {
      authority: { cert: authority.certificate, key: authority.key },
      otherAgent: { cert: await signer.sign(request), key },
      expired: { cert: await expired.sign(request), key },
      foreign: { cert: foreign.certificate, key: foreign.key },
    },
  };
}
