import type { MachineFleet, PayloadWriter } from './payloads.ts';

export function compilePayloads(_fleet: MachineFleet): PayloadWriter {
  const doc = `{"agent":{"pad":"${'x'.repeat(40000)}"}}`;
  return {
    maxCheckdataBytes: 300_000,
    maxPackagesBytes: 300_000,
    writeCheckdata: (out, offset) => offset + out.write(doc, offset, 'latin1'),
    writePackages: (out, offset) =>
      offset + out.write('{"Enabled":true,"Pending":false,"Stats":{"OperatingSystem":"linux"}}', offset, 'latin1'),
  };
}
