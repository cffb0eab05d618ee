import type { Node, Optional } from '../document/nodes.ts';
import { isSlotted } from '../document/nodes.ts';
import { smoothNoise, unit } from '../host/noise.ts';
import type { Level } from './recorded-hosts.ts';
import type { RecordedValue } from './shapes.ts';

/**
 * A recorded value with the figures of the host model. Members that the model also has are the model's. All other members, and the
 * order of all, are as recorded.
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

/** The hosts of one recorded host differ from its level by up to this share in either direction. */
const OWN = 0.12;
/** The standard deviation of smooth noise. */
const NOISE = 0.5;

/** A figure of a host as a share: around the recorded level, and with the recorded spread. */
export function shareAt({ mean, spread }: Level, key: number, periods: number): number {
  const own = mean * (1 - OWN + 2 * OWN * unit(key, -1));
  return Math.max(0, own + (spread / NOISE) * smoothNoise(key, periods));
}
