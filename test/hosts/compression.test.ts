import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkdataText, usualFleet } from './any-machine.ts';

const INSTANT = Date.UTC(2026, 10, 18, 10, 17, 3);
const HOSTS = 6;

/**
 * Ratios of `gzip -6` for real documents. Two samples are from an agent that wrote floats with more digits and open files; in
 * today's format, they shrink by 8.8 (233 KB, a Linux desktop) and 8.05 (201 KB, a Mac). Small ones from today's agent: 6.9 (24 and 78 KB).
 */
const BANDS: readonly (readonly [profile: string, payload: 'full' | 'typical', least: number, most: number])[] = [
  ['debian-12', 'full', 8, 10],
  ['ubuntu-24.04', 'full', 8, 9.8],
  ['almalinux-9', 'full', 8, 9.9],
  ['opensuse-tumbleweed', 'full', 8, 10.1],
  ['arch', 'full', 8, 10],
  ['macos-26', 'full', 7.2, 9.4],
  ['windows-11', 'full', 6, 8],
  ['debian-12', 'typical', 5.5, 7],
  ['ubuntu-24.04', 'typical', 5.5, 7],
  ['almalinux-9', 'typical', 5.5, 7.2],
  ['macos-26', 'typical', 5, 7],
  ['windows-11', 'typical', 4.5, 6.5],
];

describe.each(BANDS)('check data of %s at %s size', (profile, payload, least, most) => {
  it('has about the same information content as that of real hosts: it compresses equally well', () => {
    const fleet = usualFleet(profile, payload);
    const ratios = Array.from({ length: HOSTS }, (_, agent) => {
      const text = checkdataText({ fleet, agent, instantMs: INSTANT });
      return Buffer.byteLength(text) / gzipSync(text, { level: 6 }).length;
    });
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / HOSTS;
    expect(mean).toBeGreaterThan(least);
    expect(mean).toBeLessThan(most);
  });
});
