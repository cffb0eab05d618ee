import { describe, expect, it } from 'vitest';
import type { HostState } from '../../../src/hosts/host/host-state.ts';
import { rememberingLast } from '../../../src/hosts/packages/document.ts';

const HOUR_MS = 3_600_000;
/** The lowest twelve bits of both keys are equal. */
const ONE = { hostKey: 5, bootMs: 1000, incidents: [] };
const OTHER = { hostKey: 5 - 4096, bootMs: 1000, incidents: [] };
const FIXED = { ...ONE, incidents: [{ kind: 'security-updates-due' }] };
const SICK = { ...ONE, incidents: [{ kind: 'disk-full' }] };

/** Computes counts that identify the host, the boot and the collection. */
function counting() {
  let asked = 0;
  const found = rememberingLast(({ hostKey, bootMs }, unixMs) => {
    asked++;
    return { installed: unixMs / HOUR_MS, upgradable: hostKey & 0xffff, security: bootMs, rebootRequired: hostKey > 0 };
  });
  return { found: (host: object, unixMs: number) => found(host as HostState, unixMs), asked: () => asked };
}

describe("the counts of a host's last collection", () => {
  it('are computed once for all pushes until the next collection', () => {
    const { found, asked } = counting();
    const first = found(ONE, HOUR_MS);
    expect(first).toEqual({ installed: 1, upgradable: 5, security: 1000, rebootRequired: true });
    expect(found(ONE, HOUR_MS)).toEqual(first);
    expect(asked()).toBe(1);
    expect(found(ONE, 2 * HOUR_MS).installed).toBe(2);
    expect(found(ONE, HOUR_MS)).toEqual(first);
  });

  it('are never those of another host, or of a time before a boot', () => {
    const { found } = counting();
    found(ONE, HOUR_MS);
    expect(found(OTHER, HOUR_MS)).toMatchObject({ upgradable: (5 - 4096) & 0xffff, rebootRequired: false });
    expect(found(ONE, HOUR_MS)).toMatchObject({ upgradable: 5, rebootRequired: true });
    expect(found({ ...ONE, bootMs: 2000 }, HOUR_MS).security).toBe(2000);
  });

  it('are computed for every push while incidents bring fixes, but not for other incidents', () => {
    const { found, asked } = counting();
    for (const host of [FIXED, FIXED, SICK, SICK]) found(host, HOUR_MS);
    expect(asked()).toBe(3);
  });
});
