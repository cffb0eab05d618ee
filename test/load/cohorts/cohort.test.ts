import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LifecycleState } from '../../../src/base/protocol/operations.ts';
import {
  type Cohort,
  type CohortFacts,
  cohortText,
  EVERYONE,
  FACTS,
  highestIndex,
  isStatic,
  membership,
} from '../../../src/load/cohorts/cohort.ts';
import { parseCohort } from '../../../src/load/cohorts/parse.ts';
import { draws } from '../../draws.ts';

const PROFILES = ['ubuntu-24.04', 'windows-11', 'windows-server-2022'];
const ROLES = ['web', 'database'];
const STATES = ['unregistered', 'refused', 'registered'] as const;
const AGENTS = Array.from({ length: 60 }, (_, agent) => agent);
const SHARES = [0, 0.1, 0.25, 0.3, 0.5, 1];

const FLEET: CohortFacts = {
  seed: 7,
  agents: AGENTS.length,
  profile: (agent) => PROFILES[agent % 3] ?? '',
  role: (agent) => ROLES[agent % 2] ?? '',
  group: (agent) => (agent < 20 ? 'shop' : 'ledger'),
  host: (agent) => `web-${String(agent).padStart(2, '0')}`,
  uuid: (agent) => `00000000-0000-4000-8000-${String(agent).padStart(12, '0')}`,
  state: (agent) => STATES[agent % STATES.length] ?? 'unregistered',
};

/** Expressions of any shape whose parts can be written and read back, and select some of the agents. */
const anyCohort = fc.letrec<{ cohort: Cohort }>((tie) => ({
  cohort: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...SHARES).map((share): Cohort => ({ kind: 'share', share })),
    fc.tuple(fc.nat(40), fc.nat(20)).map(([first, more]): Cohort => ({ kind: 'agents', first, last: first + more })),
    fc
      .tuple(fc.constantFrom(...FACTS), fc.constantFrom('web-0*', '*', 'windows-*', 'database', '*9'))
      .map(([fact, pattern]): Cohort => ({ kind: 'fact', fact, pattern: fact === 'state' ? 'refused' : pattern })),
    tie('cohort').map((cohort): Cohort => ({ kind: 'not', cohort })),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), tie('cohort'), tie('cohort'))
      .map(([kind, left, right]): Cohort => ({ kind, left, right })),
  ),
})).cohort;

function read(text: string): Cohort {
  const result = parseCohort(text);
  if (result.kind === 'mistake') throw new Error(`${text}: ${JSON.stringify(result.mistake)}`);
  return result.cohort;
}

function chosen(cohort: Cohort, drawnFor = 'outage', facts = FLEET): readonly number[] {
  return AGENTS.filter(membership(cohort, drawnFor, facts));
}

const chosenBy = (text: string): readonly number[] => chosen(read(text));

describe('a written cohort', () => {
  it('reads back as the same expression of any shape', () => {
    fc.assert(
      fc.property(anyCohort, (cohort) => {
        expect(read(cohortText(cohort))).toEqual(cohort);
      }),
    );
  });

  it('keeps any value, with quotes if required', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 20 }), (pattern) => {
        const cohort: Cohort = { kind: 'fact', fact: 'host', pattern };
        expect(read(`not (${cohortText(cohort)} or 5)`)).toEqual({
          kind: 'not',
          cohort: { kind: 'or', left: cohort, right: { kind: 'agents', first: 5, last: 5 } },
        });
      }),
    );
  });
});

describe('operators', () => {
  it('obey the laws of sets: De Morgan, distribution, absorption and double negation', () => {
    fc.assert(
      fc.property(anyCohort, anyCohort, anyCohort, (a, b, c) => {
        const [x, y, z] = [a, b, c].map((cohort) => `(${cohortText(cohort)})`);
        expect(chosenBy(`not (${x} and ${y})`)).toEqual(chosenBy(`not ${x} or not ${y}`));
        expect(chosenBy(`${x} and (${y} or ${z})`)).toEqual(chosenBy(`${x} and ${y} or ${x} and ${z}`));
        expect(chosenBy(`${x} or ${x} and ${y}`)).toEqual(chosenBy(x ?? ''));
        expect(chosenBy(`not not ${x}`)).toEqual(chosenBy(x ?? ''));
        expect(chosenBy(`${x} and not ${x}`)).toEqual([]);
      }),
      { numRuns: draws(25) },
    );
  });

  it('bind by precedence: not before and before or', () => {
    expect(read('1 or not 2 and 3')).toEqual(read('1 or ((not 2) and 3)'));
    expect(read('1 or not 2 and 3')).not.toEqual(read('(1 or not 2) and 3'));
  });
});

describe('a selection', () => {
  it('by range includes both ends, and by index one agent', () => {
    expect(chosenBy('10..12')).toEqual([10, 11, 12]);
    expect(chosenBy('7')).toEqual([7]);
  });

  it('by fact matches in any case, with * for any text', () => {
    expect(chosenBy('host=web-0*')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(chosenBy('profile=Windows-*')).toEqual(AGENTS.filter((agent) => agent % 3 > 0));
    expect(chosenBy('profile=windows-11 and role=database')).toEqual(AGENTS.filter((agent) => agent % 6 === 1));
    expect(chosenBy('uuid="00000000-0000-4000-8000-000000000031"')).toEqual([31]);
    expect(chosenBy('state=refused')).toEqual(AGENTS.filter((agent) => agent % 3 === 1));
  });

  it('by host name looks up only the names of agents that the rest does not exclude', () => {
    const asked: number[] = [];
    const host = (agent: number) => {
      asked.push(agent);
      return 'web';
    };
    const isIn = membership(read('host=web and profile=windows-* and 7..8'), 'outage', { ...FLEET, host });
    expect([AGENTS.filter(isIn), asked]).toEqual([
      [7, 8],
      [7, 8],
    ]);
  });

  it('is evaluated once per agent for equal cohorts, however often the fleet is asked', () => {
    let calls = 0;
    const host = (agent: number) => {
      calls++;
      return FLEET.host(agent);
    };
    const { state: _, ...facts } = { ...FLEET, host };
    const members = ['host=web-0*', 'host=web-0*  ', '(host=web-0*)'].map((text) => chosen(read(text), 'any', facts));
    expect(members).toEqual([members[0], members[0], members[0]]);
    expect([members[0]?.length, calls]).toEqual([10, AGENTS.length]);
  });

  it('with state= is evaluated each time it is asked', () => {
    const states = new Map<number, LifecycleState>();
    const facts = { ...FLEET, state: (agent: number) => states.get(agent) ?? 'unregistered' };
    const isRegistered = membership(read('state=registered'), '', facts);
    expect(isRegistered(3)).toBe(false);
    states.set(3, 'registered');
    expect(isRegistered(3)).toBe(true);
  });

  it('shares nothing between draws, and selects the same agents if there is no memory to share', () => {
    const { state: _, ...small } = FLEET;
    const huge = { ...small, agents: 2 ** 40 };
    expect(chosen(read('50%'), 'one', small)).not.toEqual(chosen(read('50%'), 'other', small));
    expect(chosen(read('host=*1'), '', huge)).toEqual(chosen(read('host=*1'), '', small));
  });

  it('matches a * like the same pattern of a regular expression', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*]{1,8}$/), fc.stringMatching(/^[ab]{0,8}$/), (pattern, text) => {
        const isIn = membership({ kind: 'fact', fact: 'host', pattern }, '', { ...FLEET, host: () => text });
        expect(isIn(0)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text));
      }),
    );
  });
});

describe('a share', () => {
  const many = Array.from({ length: 10_000 }, (_, agent) => agent);
  const drawn = (text: string, drawnFor: string, seed = 1) =>
    many.filter(membership(read(text), drawnFor, { ...FLEET, seed, agents: many.length }));

  it('selects that part of the fleet to the nearest agent, whatever its size, and always the same agents', () => {
    const share = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(share, fc.integer({ min: 1, max: 500 }), fc.nat(), (part, agents, seed) => {
        const isIn = membership({ kind: 'share', share: part }, 'outage', { ...FLEET, seed, agents });
        const indexes = Array.from({ length: agents }, (_, agent) => agent);
        expect(indexes.filter(isIn)).toHaveLength(Math.round(part * agents));
      }),
      { examples: [[0.3, 3, 1]] },
    );
    expect(drawn('30%', 'outage')).toEqual(drawn('30%', 'outage'));
  });

  it('selects other agents for another event or seed', () => {
    expect(drawn('30%', 'reboot')).not.toEqual(drawn('30%', 'outage'));
    expect(drawn('30%', 'outage', 2)).not.toEqual(drawn('30%', 'outage'));
  });

  it('is contained in a larger one of the same event', () => {
    expect(drawn('10% and not 30%', 'outage')).toEqual([]);
    expect(drawn('30% and not 10%', 'outage').length).toBe(
      drawn('30%', 'outage').length - drawn('10%', 'outage').length,
    );
  });

  it('of 100% selects all agents, and of 0% none', () => {
    expect(drawn('100%', 'outage')).toEqual(many);
    expect(drawn('0%', 'outage')).toEqual([]);
    expect(chosen(EVERYONE)).toEqual(AGENTS);
  });
});

describe('a cohort by state', () => {
  const { state: _, ...before } = FLEET;

  it('includes at least all its later agents while states are unknown', () => {
    fc.assert(
      fc.property(anyCohort, (cohort) => {
        expect(chosen(cohort, 'outage', before)).toEqual(expect.arrayContaining([...chosen(cohort)]));
      }),
    );
  });

  it('excludes agents that cannot belong to it in any state', () => {
    expect(chosen(read('state=refused and 3..5'), 'outage', before)).toEqual([3, 4, 5]);
    expect(chosen(read('not state=refused and 3..5'), 'outage', before)).toEqual([3, 4, 5]);
  });

  it('is not static, wherever the state occurs', () => {
    expect(['30%', 'not (1 or state=refused)', 'host=a and state=refused'].map((text) => isStatic(read(text)))).toEqual(
      [true, false, false],
    );
  });
});

it('a cohort returns its highest index', () => {
  expect(['30%', '1..9 or not 20', 'host=a and 3'].map((text) => highestIndex(read(text)))).toEqual([-1, 20, 3]);
});
