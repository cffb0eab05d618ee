import { ERROR_TEXTS } from '../../base/protocol/push.ts';
import { casesOf } from '../case.ts';
import { ANSWERED, JSON_TYPED, json, PRESENT, SUCCESS, status, TEXT } from '../expectation.ts';
import { envelope, getsOf, needing, PACKAGE_DOCUMENT, packages, pushOf, type ServerCase, WRONG } from './fixture.ts';

const { written, agent, shipped, note } = casesOf<ServerCase>();

const SINCE = 'server 5.5.1, read in its source';

const packagesGet = getsOf(packages);

export const PACKAGES: readonly ServerCase[] = needing(
  ['packages', 'assigned'],
  [
    written('packages.1', 'Package information of an agent with a host gets 200.', {
      observed: '403 or 404: 5.3.0 lacks the endpoint, 5.5.1 has it',
      needs: ['assigned'],
      ...packagesGet(status(200), {}),
    }),
    written('packages.2', 'The answer has `success`.', {
      presumes: SUCCESS,
      ...packagesGet(json({ success: PRESENT }), {}),
    }),
    agent('packages.3', '`success` is true or false.', {
      why: 'The agent cannot read `"true"` or `1`, and logs the push as failed.',
      presumes: json({ success: PRESENT }),
      ...packagesGet(json({ success: { text: 'true or false', test: (value) => typeof value === 'boolean' } }), {}),
    }),
    agent('packages.4', '`success` is true if the status is 200.', {
      why: 'The agent logs a failure, though the data is there.',
      presumes: json({ success: { text: 'true or false', test: (value) => typeof value === 'boolean' } }),
      ...packagesGet(json({ success: true }), {}),
    }),
    written('packages.5', 'The answer has `error`, a string.', {
      presumes: json({ success: PRESENT }),
      ...packagesGet(json({ error: TEXT }), {}),
    }),
    written('packages.6', 'The answer has the type application/json.', {
      presumes: SUCCESS,
      ...packagesGet(JSON_TYPED, {}),
    }),
    written('packages.7', 'A wrong password gets 400.', packagesGet(status(400), { password: WRONG })),
    written('packages.8', 'A UUID that the server does not know gets 400.', {
      needs: ['packages'],
      ask: (fixture) => [packages(fixture, { agentuuid: fixture.fresh[0], password: WRONG })],
      expect: status(400),
    }),
    written('packages.9', 'A refused push has `success` false.', {
      needs: ['packages'],
      ask: (fixture) => [packages(fixture, { agentuuid: fixture.fresh[0], password: WRONG })],
      presumes: status(400),
      expect: json({ success: false }),
    }),
    shipped('packages.10', `Its \`error\` is "${ERROR_TEXTS.packageInformation}".`, {
      source: SINCE,
      needs: ['packages'],
      ask: (fixture) => [packages(fixture, { agentuuid: fixture.fresh[0], password: WRONG })],
      presumes: status(400),
      expect: json({ error: ERROR_TEXTS.packageInformation }),
    }),
    written('packages.11', 'A registered agent without a host gets 400.', {
      needs: ['packages', 'agent', 'unassigned'],
      ask: (fixture) => [pushOf(fixture, 'submit_package_info', envelope(fixture.agent, PACKAGE_DOCUMENT))],
      expect: status(400),
    }),
    shipped('packages.12', 'A document with `Pending` true, or without it, gets 400.', {
      guess: 'accepted',
      source: SINCE,
      ask: (fixture) =>
        [true, undefined].map((pending) => packages(fixture, { checkdata: { ...PACKAGE_DOCUMENT, Pending: pending } })),
      expect: status(400),
    }),
    shipped('packages.13', 'An operating system other than `linux`, `windows` and `macos` gets 400.', {
      source: SINCE,
      ...packagesGet(status(400), { checkdata: withSystem('freebsd') }),
    }),
    shipped('packages.14', 'An empty or missing `checkdata` is accepted, and nothing is stored.', {
      guess: '400',
      source: SINCE,
      ask: (fixture) => [{}, undefined].map((document) => packages(fixture, { checkdata: document })),
      expect: SUCCESS,
    }),
    agent('packages.15', 'Documents of Windows and macOS are accepted.', {
      why: 'Their lists of Linux are empty.',
      ask: (fixture) => ['windows', 'macos'].map((system) => packages(fixture, { checkdata: withSystem(system) })),
      expect: SUCCESS,
    }),
    agent('packages.16', 'A document with 2000 packages is accepted.', {
      why: 'Hosts with a desktop have as many, in 300 KB.',
      ask: (fixture) => {
        const [one] = PACKAGE_DOCUMENT.LinuxPackages;
        const LinuxPackages = Array.from({ length: 2000 }, (_, n) => ({ ...one, Name: `package-${n}` }));
        return [packages(fixture, { checkdata: { ...PACKAGE_DOCUMENT, LinuxPackages } })];
      },
      expect: SUCCESS,
    }),
    note('packages.17', 'A Windows update with `null` as its articles gets no 5xx.', {
      guess: 'accepted',
      source: SINCE,
      muster: { shipped: '500, as inferred' },
      ...packagesGet(ANSWERED, {
        checkdata: { ...withSystem('windows'), WindowsUpdates: [{ Title: 't', UpdateID: 'u', KBArticleIDs: null }] },
      }),
    }),
    written('packages.18', 'GET gets 405.', {
      needs: ['packages'],
      ask: (fixture) => {
        const { body: _, ...one } = packages(fixture);
        return [{ ...one, method: 'GET' }];
      },
      expect: status(405),
    }),
  ],
);

function withSystem(system: string) {
  return {
    ...PACKAGE_DOCUMENT,
    Stats: { ...PACKAGE_DOCUMENT.Stats, OperatingSystem: system },
    LinuxPackages: [],
    LinuxUpdates: [],
  };
}
