import { readHostData } from '../../src/base/storage/host-data.ts';
import { isSlotted, SLOT } from '../../src/hosts/document/nodes.ts';
import { type Plain, plain } from '../../src/hosts/document/plain.ts';
import type { GroupedHosts, MachineFleet, MixedHosts } from '../../src/hosts/fleet.ts';
import * as machines from '../../src/hosts/payloads.ts';
import * as payloads from '../../src/hosts/payloads.ts';

/** The shipped data. */
export const HOST_DATA = readHostData();

/** A fleet of a test, whose hosts are created from the shipped data. */
export type TestFleet = Omit<MachineFleet & MixedHosts, 'data'>;

/** The same with groups. */
export type GroupedTestFleet = Omit<MachineFleet & GroupedHosts, 'data'>;

type AnyTestFleet = TestFleet | GroupedTestFleet;

function withData<Fleet extends AnyTestFleet>(fleet: Fleet): Fleet & Pick<MachineFleet, 'data'> {
  return { ...fleet, data: HOST_DATA };
}

/** Describing and compiling the hosts of a fleet takes as long as a hundred of its documents, and tests share many fleets. */
const KEPT_FLEETS = 40;

const keys = new WeakMap<object, string>();

const numbers = new Map<unknown, number>();

function numbered(value: unknown): string {
  numbers.set(value, numbers.get(value) ?? numbers.size);
  return `number ${numbers.get(value)}`;
}

/**
 * A key that differs for different fleets: JSON represents neither incidents without an end nor functions. A recording, which may
 * be a megabyte, is represented by its number.
 */
function fleetKey(fleet: AnyTestFleet): string {
  const key = keys.get(fleet) ?? writtenFleet(fleet);
  keys.set(fleet, key);
  return key;
}

function writtenFleet(fleet: AnyTestFleet): string {
  return JSON.stringify(fleet, (key, value) => {
    if (key === 'recordings') return Object.values(value ?? {}).map(numbered);
    if (typeof value === 'function') return numbered(value);
    return value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
  });
}

export function keptByFleet<Made>(make: (fleet: AnyTestFleet) => Made): (fleet: AnyTestFleet) => Made {
  const kept = new Map<string, Made>();
  return (fleet) => {
    const key = fleetKey(fleet);
    const made = kept.get(key) ?? make(fleet);
    kept.delete(key);
    kept.set(key, made);
    if (kept.size > KEPT_FLEETS) kept.delete(kept.keys().next().value ?? '');
    return made;
  };
}

export const compilePayloads = keptByFleet(
  (fleet): payloads.PayloadWriter => payloads.compilePayloads(withData(fleet)),
);

export const createMachines = keptByFleet((fleet): machines.Machines => machines.createMachines(withData(fleet)));

export function compileFleet(fleet: AnyTestFleet): payloads.FleetPayloads {
  return payloads.compileFleet(withData(fleet));
}

export function checkdataOf(fleet: AnyTestFleet, agent: number, instantMs: number): Plain {
  const { node, frame } = createMachines(fleet).checkdata(agent, instantMs);
  return plain(node(), frame);
}

export function packagesOf(fleet: AnyTestFleet, agent: number, collectionMs: number): Plain {
  const { node, frame } = createMachines(fleet).packages(agent, collectionMs);
  return plain(node(), frame);
}

/** Check data as `JSON.parse` returns them. Each check is made when a test looks at it, because most tests look at one or two. */
export function readCheckdata(fleet: AnyTestFleet, ...at: Parameters<machines.Machines['checkdata']>): Parsed {
  return readWhenAsked(createMachines(fleet).checkdata(...at));
}

export function readPackages(fleet: AnyTestFleet, agent: number, collectionMs: number): Parsed {
  return readWhenAsked(createMachines(fleet).packages(agent, collectionMs));
}

// biome-ignore lint/suspicious/noExplicitAny: tests walk documents whose shape is what they check
export type Parsed = any;

function readWhenAsked({ node, frame: filled }: ReturnType<machines.Machines['checkdata']>): Parsed {
  const frame = filled.slice();
  const document = {};
  const define = (name: string, property: PropertyDescriptor) => {
    Object.defineProperty(document, name, { enumerable: true, configurable: true, ...property });
  };
  for (const [name, member] of Object.entries<Parsed>(node() as object)) {
    if (isSlotted(member) && member[SLOT] === 'optional' && frame[member.cell] === 0) continue;
    const value = () => asParsed(plain({ [name]: member }, frame) as Parsed)[name];
    define(name, {
      get: () => {
        const made = value();
        define(name, { value: made, writable: true });
        return made;
      },
    });
  }
  return document;
}

/** Converts 64-bit integers to numbers, as `JSON.parse` does. */
function asParsed(value: Parsed): Parsed {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? Number(value) : value;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (typeof member === 'object' || typeof member === 'bigint') value[name] = asParsed(member);
  }
  return value;
}
