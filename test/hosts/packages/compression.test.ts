import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fleetDocuments } from './any-fleet.ts';

const HOSTS = 6;

/**
 * Ratios of `gzip -6` for the inventories of real hosts: 4.85 (Debian), 4.08 (Ubuntu), 4.89 (macOS), 3.68 (Windows), all with some
 * hundred entries except for the last. dnf reports no descriptions: without them, the real ones of Debian and Ubuntu shrink by 6.75 and
 * 6.36. Those of pacman are short.
 */
const BANDS: readonly (readonly [profile: string, least: number, most: number])[] = [
  ['debian-12', 4.1, 5],
  ['ubuntu-24.04', 4, 4.9],
  ['opensuse-tumbleweed', 4.1, 5],
  ['arch', 3.2, 4],
  ['almalinux-9', 6, 7.2],
  ['macos-26', 4.4, 5.3],
  ['windows-11', 2.8, 4],
];

function ratioOf(document: unknown): number {
  const text = JSON.stringify(document);
  return Buffer.byteLength(text) / gzipSync(text, { level: 6 }).length;
}

describe.each(BANDS)('inventories of %s', (profile, least, most) => {
  it('have about the same information content as those of real hosts: they compress equally well', () => {
    const ratios = fleetDocuments(profile, HOSTS).map(ratioOf);
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / HOSTS;
    expect(mean).toBeGreaterThan(least);
    expect(mean).toBeLessThan(most);
  });
});
