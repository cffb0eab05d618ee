import type { Plain } from '../../src/machine/document/plain.ts';
import type { MachineFleet } from '../../src/machine/fleet.ts';
import * as machines from '../../src/machine/machines.ts';
import * as payloads from '../../src/machine/payloads.ts';
import { readHostData } from '../../src/storage/host-data.ts';

/** The data that are shipped. */
export const HOST_DATA = readHostData();

/** A fleet as tests describe it: its hosts are made from the data that are shipped. */
export type TestFleet = Omit<MachineFleet, 'data'>;

function withData<Fleet extends TestFleet>(fleet: Fleet): Fleet & Pick<MachineFleet, 'data'> {
  return { ...fleet, data: HOST_DATA };
}

export function compilePayloads(fleet: TestFleet): payloads.PayloadWriter {
  return payloads.compilePayloads(withData(fleet));
}

export function compileFleet(fleet: TestFleet): payloads.FleetPayloads {
  return payloads.compileFleet(withData(fleet));
}

export function createMachines(fleet: TestFleet, data = HOST_DATA): machines.Machines {
  return machines.createMachines({ ...fleet, data });
}

export function checkdataOf(fleet: TestFleet, agent: number, instantMs: number): Plain {
  return machines.checkdataOf(withData(fleet), agent, instantMs);
}

export function packagesOf(fleet: TestFleet, agent: number, collectionMs: number): Plain {
  return machines.packagesOf(withData(fleet), agent, collectionMs);
}
