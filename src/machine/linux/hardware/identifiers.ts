import type { Random } from '../../builds.ts';

export function hexFrom(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
}
