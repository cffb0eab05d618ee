import { join } from 'node:path';
import { expect, it } from 'vitest';
import { finishedRun, WITHOUT_FAULT } from './finished-run.ts';
import { FLEET } from './own-server.ts';
import { outcomes, total } from './sums.ts';

const AUTHORITY = join(import.meta.dirname, '../../wire/transport/certificates/authority.pem');

const overTls = (more: string) =>
  `target: { url: embedded, tls: { serve: self-signed, verify: true${more} } }\n${FLEET}\nphases: [{ name: enroll, register: { over: 200ms } }]`;

it('a run uses HTTPS with an embedded server that has a generated certificate', async () => {
  const trusted = await finishedRun(overTls(''));
  expect(WITHOUT_FAULT).toContain(trusted.verdict.kind);
  expect(total(trusted, 'register', 'succeeded')).toBeGreaterThan(0);
  // Agents that trust only another certificate fail in the handshake.
  const untrusted = await finishedRun(overTls(`, ca: ${AUTHORITY}`));
  expect(untrusted.verdict.kind).toBe('unreachable');
  expect(outcomes(untrusted, 'register', 'tls_failed')).toBeGreaterThan(0);
});
