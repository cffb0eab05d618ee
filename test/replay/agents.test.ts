import { describe, expect, it } from 'vitest';
import { createAddressBook } from '../../src/replay/address-book.ts';
import type { AgentNumbers } from '../../src/replay/agents.ts';
import { arrivalTag, createArrivalSorter, ROW_NUMBERS } from '../../src/replay/arrival-rows.ts';
import { emptyRequest } from '../../src/replay/logged-request.ts';
import { memorySpill } from './memory-spill.ts';

const [REGISTER, CHECKDATA, PACKAGES] = [0, 1, 2];

type Arrival = {
  readonly second: number;
  readonly address: number;
  readonly endpoint?: number;
  readonly status?: number;
};

/** The numbers, and the agents of the arrivals in order of time. */
function numbered(arrivals: readonly Arrival[], agents?: number) {
  const book = createAddressBook();
  const sorter = createArrivalSorter(memorySpill(), book.observe);
  for (const { second, address, endpoint = CHECKDATA, status = 200 } of arrivals)
    sorter.add({ ...emptyRequest(), atUs: 1.7e15 + Math.round(second * 1e6), endpoint, status }, address);
  sorter.end();
  const numbers: AgentNumbers = book.numbers(agents);
  const tags = [...sorter.sorted()].flatMap((piece) => [...piece].filter((_, index) => index % ROW_NUMBERS === 1));
  return { ...numbers, inOrder: tags.map(numbers.agentOf) };
}

/** Agents that push every 30 seconds, for ten minutes, at places in the interval that look random. */
function pushes(address: number, agents: number): Arrival[] {
  return Array.from({ length: agents * 20 }, (_, index) => {
    const place = (((index % agents) * 18.541 + address * 11.459) % 30) + Math.floor(index / agents) * 30;
    return { second: place, address };
  });
}

describe('the agents of a log', () => {
  it('are one for each address that pushes at their interval', () => {
    const found = numbered([...pushes(0, 1), ...pushes(1, 1), ...pushes(2, 1)]);
    expect(found).toMatchObject({ agents: 3, known: 3, addresses: 3, shared: 0, cadenceSeconds: 30 });
  });

  it.each([2, 10, 300])('are estimated from the interval where %i push from one address', (many) => {
    const alone = Array.from({ length: 20 }, (_, address) => pushes(address + 1, 1)).flat();
    for (const others of [[], alone]) {
      const found = numbered([...pushes(0, many), ...others]);
      expect(found).toMatchObject({ shared: 1, cadenceSeconds: 30 });
      expect(Math.abs(found.agents - others.length / 20 - many)).toBeLessThanOrEqual(many / 50);
    }
  });

  it('are estimated without the time of an outage', () => {
    const late = pushes(0, 10).map(({ second, address }) => ({
      address,
      second: second < 300 ? second : second + 600,
    }));
    expect(numbered(late)).toMatchObject({ agents: 10, cadenceSeconds: 30 });
  });

  it('take turns behind one address, so that each keeps the interval', () => {
    const { inOrder } = numbered(pushes(0, 10));
    expect(inOrder.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(inOrder.every((agent, index) => agent === index % 10)).toBe(true);
  });

  it('that the log introduces by a registration come after the others, and begin with it', () => {
    const found = numbered([
      { second: 0, address: 7, endpoint: REGISTER, status: 201 },
      { second: 0.01, address: 7 },
      { second: 1, address: 3 },
      { second: 2, address: 5, endpoint: REGISTER, status: 503 },
      { second: 31, address: 3 },
      { second: 32, address: 5, endpoint: REGISTER, status: 201 },
    ]);
    // Addresses are numbered in the order in which they are added; this log has three of eight.
    expect(found).toMatchObject({ agents: found.known + 2 });
    const [first, , known, second] = found.inOrder;
    expect(found.inOrder).toEqual([first, first, known, second, known, second]);
    expect(known).toBeLessThan(found.known);
    expect(Math.min(first ?? 0, second ?? 0)).toBeGreaterThanOrEqual(found.known);
  });

  it('register one after another behind one address, and push what follows', () => {
    const arrivals = Array.from({ length: 5 }, (_, agent): Arrival[] => [
      { second: agent, address: 0, endpoint: REGISTER, status: 201 },
      { second: agent + 0.01, address: 0 },
      { second: agent + 30, address: 0 },
      { second: agent + 30.5, address: 0, endpoint: PACKAGES },
    ]).flat();
    const { agents, known, inOrder } = numbered(arrivals);
    expect({ agents, known }).toEqual({ agents: 5, known: 0 });
    expect(inOrder.slice(0, 10)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    expect(inOrder.filter((_, index) => index >= 10 && index % 2 === 0)).toEqual([0, 1, 2, 3, 4]);
  });

  it('are as many as the user says, in proportion to the estimates', () => {
    const arrivals = [...pushes(0, 30), ...pushes(1, 10)];
    const found = numbered(arrivals, 80);
    expect(found).toMatchObject({ agents: 80, known: 80 });
    expect(new Set(found.inOrder).size).toBe(80);
    expect(new Set(numbered(arrivals, 1).inOrder)).toEqual(new Set([0]));
    expect(() =>
      numbered(
        [
          { second: 0, address: 0, endpoint: REGISTER, status: 201 },
          { second: 1, address: 1 },
        ],
        1,
      ),
    ).toThrow('--agents: expected at least 2, because the log has registrations of 1 new agents, found 1.');
  });

  it('are numbered below their number, whatever the log has', () => {
    let state = 1;
    const draw = (below: number): number => {
      state = (state * 48_271) % 0x7fff_ffff;
      return state % below;
    };
    for (let log = 0; log < 80; log++) {
      const arrivals = Array.from({ length: 1 + draw(80) }, (): Arrival => {
        const endpoint = draw(3);
        return { second: draw(400), address: draw(1 + draw(6)), endpoint, status: [200, 201, 403, 503][draw(4)] ?? 0 };
      });
      const first = [...arrivals].sort((a, b) => a.second - b.second);
      const { agents, known, inOrder } = numbered(arrivals);
      expect(inOrder.filter((agent) => !(agent >= 0 && agent < agents))).toEqual([]);
      // Those that were known before the log push first.
      const registers = (index: number) => first[index]?.endpoint === REGISTER && first[index]?.status === 201;
      const isFirst = (agent: number, index: number) => agent < known && inOrder.indexOf(agent) === index;
      expect(inOrder.filter((agent, index) => isFirst(agent, index) && registers(index))).toEqual([]);
    }
  });

  it('of a million addresses are told apart', async () => {
    const { createAddressNumbers } = await import('../../src/replay/addresses.ts');
    const numbers = createAddressNumbers();
    const bytes = Buffer.alloc(16);
    const numberOf = (index: number): number => {
      const end = bytes.write(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
      return numbers.numberOf(bytes, 0, end);
    };
    let differing = 0;
    for (let index = 0; index < 300_000; index++) if (numberOf(index) !== index) differing++;
    for (let index = 0; index < 300_000; index += 7) if (numberOf(index) !== index) differing++;
    expect(differing).toBe(0);
    expect(arrivalTag(numbers.numberOf(bytes, 0, 3), emptyRequest())).toBeGreaterThan(0);
  });
});
