import { isFailure, isMembers, membersIn } from '../../base/protocol/exact-json.ts';
import { CHECK_SHAPES, checkdataFaults, packagesShape, shapeFaults } from '../../base/protocol/shapes.ts';
import { casesOf, type Deviation, deviationUnless } from '../case.ts';
import type { AgentCase } from './agent-case.ts';
import type { AgentFixture } from './fixture.ts';
import type { AgentSession } from './session.ts';

const { server, shipped } = casesOf<AgentCase>();

/** A rule about the documents that the agent served before the cases. */
const served = (judge: (fixture: AgentFixture) => Deviation) => ({
  perform: ({ fixture }: AgentSession) => Promise.resolve(judge(fixture)),
});

const checkShapes = Object.entries(CHECK_SHAPES).map(
  ([name, shape]): AgentCase => ({
    id: `check.${name}`,
    level: 'shipped',
    rule: `The check \`${name}\` has the documented members and types, or consists of an error.`,
    needs: 'checkdata',
    expected: 'the documented members',
    ...served(({ checkdata }) => {
      if (!Object.hasOwn(checkdata, name)) return { untried: 'the agent does not report this check' };
      const [fault] = isFailure(checkdata[name]) ? [] : shapeFaults(shape, checkdata[name], name);
      return deviationUnless(fault === undefined, fault);
    }),
  }),
);

const LISTS = ['LinuxPackages', 'LinuxUpdates', 'WindowsApps', 'WindowsUpdates', 'MacosApps', 'MacosUpdates'];
const PACKAGE_NAMES = ['Enabled', 'Pending', 'LastUpdate', 'Stats', ...LISTS];

/** Seconds in a text such as `2026-01-31 15:04:05.123456789 +0100 CET m=+19.945268128`. */
function secondsOf(text: unknown): number {
  const [, date, time, zone] = /^(\S+) ([\d:]{8})\S* ([+-]\d{4}) /.exec(String(text)) ?? [];
  return Date.parse(`${date}T${time}${zone?.replace(/(\d\d)$/, ':$1')}`) / 1000;
}

export const DOCUMENTS: readonly AgentCase[] = [
  ...checkShapes,
  shipped(
    'document.1',
    'Every agent of a version reports custom checks, exporters and the package manager, empty or not.',
    {
      guess: 'they are left out while there are none',
      needs: 'checkdata',
      expected: 'customchecks, packagemanager and prometheus_exporters',
      ...served(({ checkdata }) => {
        const missing = checkdataFaults(checkdata).find((fault) => fault.endsWith(': missing'));
        return deviationUnless(missing === undefined, missing);
      }),
    },
  ),
  shipped('document.2', 'The names of checks are sorted.', {
    guess: 'in the order of the checks',
    needs: 'checkdata',
    expected: 'sorted names',
    ...served(({ checkdata }) =>
      deviationUnless(Object.keys(checkdata).join() === Object.keys(checkdata).sort().join(), Object.keys(checkdata)),
    ),
  }),
  shipped('document.3', '`last_updated` and `last_updated_timestamp` are the same second.', {
    needs: 'checkdata',
    expected: 'one instant',
    ...served(({ checkdata }) => {
      const { last_updated, last_updated_timestamp } = membersIn(checkdata.agent);
      return deviationUnless(secondsOf(last_updated) === last_updated_timestamp, {
        last_updated,
        last_updated_timestamp,
      });
    }),
  }),
  shipped('document.4', 'Markup characters are escaped in JSON as \\u003c, \\u003e and \\u0026.', {
    guess: 'sent as they are, as the type is not HTML',
    needs: 'checkdata',
    expected: 'no <, > or &',
    ...served(({ checkdataBytes }) =>
      deviationUnless(!/[<>&]/.test(checkdataBytes.toString('latin1')), 'one of them, unescaped'),
    ),
  }),
  shipped('document.5', 'There are as many CPU shares as details of cores.', {
    needs: 'checkdata',
    expected: 'lists of one length',
    ...served(({ checkdata }) => {
      const { cpu_percentage: shares, cpu_percentage_detailed: details } = membersIn(checkdata.cpu);
      if (!Array.isArray(shares) || !Array.isArray(details)) return { untried: 'the agent does not report its CPU' };
      return deviationUnless(shares.length === details.length, `${shares.length} and ${details.length}`);
    }),
  }),
  shipped('packages.1', 'Package information has its ten members in one order, whatever the system.', {
    guess: 'lists of other systems are left out',
    expected: PACKAGE_NAMES.join(', '),
    ...served(({ packages }) =>
      deviationUnless(Object.keys(packages).join() === PACKAGE_NAMES.join(), Object.keys(packages)),
    ),
  }),
  shipped('packages.2', 'Its members have the documented types.', {
    expected: 'the documented types',
    ...served(({ packages }) => {
      // Missing lists are for another rule.
      const whole = { ...Object.fromEntries(LISTS.map((name) => [name, null])), ...packages };
      const fault = shapeFaults(packagesShape, whole, 'packages').find(
        (one) => !/expected one of|Unrecognized|: Invalid option/.test(one),
      );
      return deviationUnless(fault === undefined, fault);
    }),
  }),
  shipped('packages.3', 'Before the first check run its lists are null, afterwards never.', {
    guess: 'always arrays, as the written API says',
    needs: 'checkdata',
    expected: 'arrays',
    ...served(({ packages }) =>
      deviationUnless(
        LISTS.every((name) => packages[name] !== null),
        'null',
      ),
    ),
  }),
  server(
    'packages.4',
    'Stats.OperatingSystem is linux, windows or macos, and empty only while the information is pending.',
    {
      why: 'The server refuses others.',
      guess: 'darwin on macOS, as in check data',
      expected: 'linux, windows or macos',
      ...served(({ packages: { Pending, Stats, Enabled } }) => {
        const { OperatingSystem } = membersIn(Stats);
        const isKnown = ['linux', 'windows', 'macos'].includes(String(OperatingSystem));
        return deviationUnless(
          isKnown || (OperatingSystem === '' && (Pending === true || Enabled === false)),
          OperatingSystem,
        );
      }),
    },
  ),
  shipped('packages.5', 'InstalledPackages is the length of the list of this system.', {
    expected: 'the same number',
    ...served(({ packages }) => {
      const { InstalledPackages } = membersIn(packages.Stats);
      const [linux, , windows, , macos] = LISTS.map((name) =>
        Array.isArray(packages[name]) ? packages[name].length : 0,
      );
      const isFaulty = membersIn(packages.Stats).LastError !== '';
      return deviationUnless(isFaulty || InstalledPackages === (linux ?? 0) + (windows ?? 0) + (macos ?? 0), {
        InstalledPackages,
        linux,
        windows,
        macos,
      });
    }),
  }),
  shipped('packages.6', 'Its agent version is that of the check data.', {
    needs: 'checkdata',
    expected: 'one version',
    ...served(({ packages, checkdata }) => {
      const { AgentVersion } = membersIn(packages.Stats);
      const { agent_version } = membersIn(checkdata.agent);
      return deviationUnless(AgentVersion === '' || AgentVersion === agent_version, { AgentVersion, agent_version });
    }),
  }),
];

/** Whether the answer to `GET /` has come from a finished check run. */
export function hasCheckdata(document: unknown): boolean {
  return isMembers(document) && Object.keys(document).length > 0;
}
