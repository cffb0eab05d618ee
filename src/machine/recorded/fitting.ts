import type { Node, Optional } from '../document/nodes.ts';
import { isSlotted } from '../document/nodes.ts';
import { smoothNoise, unit } from '../host/noise.ts';
import type { Level } from './recorded-hosts.ts';
import type { RecordedValue } from './shapes.ts';

/**
 * A recorded value whose figures are those of the host model: members that the model has, too, are the model's, all others, and the
 * order of all of them, are as recorded.
 */
export function fitted(recorded: RecordedValue, model: Node | Optional | undefined): Node | Optional {
  if (model === undefined) return recorded as Node;
  const members = membersOf(model);
  if (!isMapping(recorded) || members === undefined) return model;
  return Object.fromEntries(Object.entries(recorded).map(([key, value]) => [key, fitted(value, members[key])]));
}

function isMapping(value: RecordedValue): value is { readonly [key: string]: RecordedValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersOf(node: Node | Optional): { readonly [key: string]: Node | Optional } | undefined {
  const isOpen = typeof node === 'object' && node !== null && !Array.isArray(node) && !isSlotted(node as Node);
  return isOpen ? (node as { readonly [key: string]: Node | Optional }) : undefined;
}

/** Hosts of one recorded host differ by so much of its level either way. */
const OWN = 0.12;
/** The standard deviation of smooth noise. */
const NOISE = 0.5;

/** A share of a host's at an instant: around the recorded level, and as far from it as it was while it was recorded. */
export function shareAt({ mean, spread }: Level, key: number, periods: number): number {
  const own = mean * (1 - OWN + 2 * OWN * unit(key, -1));
  return Math.max(0, own + (spread / NOISE) * smoothNoise(key, periods));
}
