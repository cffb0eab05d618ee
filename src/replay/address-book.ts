import { emptyColumns, FAILED_TO_REGISTER, FIRST_REGISTERS, gapSumIndex, grownColumns } from './address-columns.ts';
import { type AgentNumbers, numberAgents } from './agents.ts';
import { addressIn, answerIn, isRegistered, operationIn, ROW_NUMBERS } from './arrival-rows.ts';
import { createCadenceFinder } from './cadence.ts';

/** Learns from sorted rows, in any order of the runs, how many agents there are behind each address. */
export function createAddressBook() {
  const cadence = createCadenceFinder();
  let columns = emptyColumns(4096);
  let addresses = 0;

  const noteRegistration = (address: number, isNew: boolean): void => {
    const { registered, flags } = columns;
    if (isNew) registered[address] = (registered[address] as number) + 1;
    else flags[address] = (flags[address] as number) | FAILED_TO_REGISTER;
  };
  const noteGap = (address: number, atUs: number): void => {
    const { lastUs, gaps, gapSumsUs } = columns;
    const gapUs = atUs - (lastUs[address] as number);
    lastUs[address] = atUs;
    cadence.take(atUs, gapUs);
    if (!(gapUs >= 0)) return;
    gaps[address] = (gaps[address] as number) + 1;
    const index = gapSumIndex(address, gapUs);
    gapSumsUs[index] = (gapSumsUs[index] as number) + gapUs;
  };
  const observeRow = (atUs: number, tag: number): void => {
    const address = addressIn(tag);
    const answer = answerIn(tag);
    const operation = operationIn(answer);
    const isNew = operation === 'register' && isRegistered(answer);
    while (address >= columns.flags.length) columns = grownColumns(columns);
    addresses = Math.max(addresses, address + 1);
    if (operation === 'register') noteRegistration(address, isNew);
    const { firstUs, flags } = columns;
    if (atUs < (firstUs[address] as number)) {
      firstUs[address] = atUs;
      const failed = (flags[address] as number) & FAILED_TO_REGISTER;
      flags[address] = failed | (operation === 'register' ? FIRST_REGISTERS : 0);
    }
    // In each interval, an agent pushes check data, or registers in vain.
    if (operation === 'checkdata' || (operation === 'register' && !isNew)) noteGap(address, atUs);
  };
  return {
    observe: (rows: Float64Array): void => {
      for (let at = 0; at < rows.length; at += ROW_NUMBERS) observeRow(rows[at] as number, rows[at + 1] as number);
    },
    /** @param agents the size of the fleet if the user knows it */
    numbers: (agents: number | undefined): AgentNumbers =>
      numberAgents(columns, { addresses, cadenceSeconds: cadence.seconds(), agents }),
  };
}
