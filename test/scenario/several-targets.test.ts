import { describe, expect, it } from 'vitest';
import { agentSettingsOf } from '../../src/scenario/agents.ts';
import { formatScenario } from '../../src/scenario/file.ts';
import { baseUrlsOf, displayTarget } from '../../src/scenario/server-urls.ts';
import { problemsOf, scenarioOf } from './read-scenario.ts';

const PHASES = 'fleet: { agents: 4 }\nphases: [{ name: steady, duration: 1s, checkdata: { every: 1s } }]';
const scenarioAt = (urls: string) => `target: { urls: ${urls} }\n${PHASES}`;
const TWO = scenarioAt('["http://127.0.0.1:1/a", "http://127.0.0.1:2?k=s3cret"]');

describe('several base URLs', () => {
  it('are assigned to the agents in turn, also in their configuration', () => {
    const scenario = scenarioOf(TWO);
    expect(baseUrlsOf(scenario.target)).toEqual(['http://127.0.0.1:1/a', 'http://127.0.0.1:2?k=s3cret']);
    const settingsOf = agentSettingsOf(scenario);
    expect([0, 1, 2, 3].map((agent) => settingsOf(agent).push?.url)).toEqual([
      ...['http://127.0.0.1:1/a', 'http://127.0.0.1:2?k=s3cret'],
      ...['http://127.0.0.1:1/a', 'http://127.0.0.1:2?k=s3cret'],
    ]);
  });

  it('are shown without possible secrets, and only the first of many', () => {
    expect(displayTarget(scenarioOf(TWO).target)).toBe('http://127.0.0.1:1/a, http://127.0.0.1:2?…');
    const many = JSON.stringify(Array.from({ length: 7 }, (_, n) => `http://127.0.0.${n}`));
    expect(displayTarget(scenarioOf(scenarioAt(many)).target)).toMatch(
      /^http:\/\/127\.0\.0\.0, .*127\.0\.0\.3, 3 more$/,
    );
  });

  it('read back as written, with queries from the environment', () => {
    const { target } = scenarioOf(TWO);
    const written = formatScenario(scenarioOf(TWO));
    expect(written).not.toContain('s3cret');
    expect(scenarioOf(written, [], { MUSTER_TARGET_QUERY_2: 'k=s3cret' }).target).toEqual(target);
  });

  it('with a single entry are equivalent to a single URL', () => {
    expect(scenarioOf(scenarioAt('["http://127.0.0.1:1"]')).target).toMatchObject({
      url: 'http://127.0.0.1:1',
      furtherUrls: [],
    });
  });

  it.each([
    ['target.url=http://127.0.0.1', 'target.urls', 'either url for all agents, or urls to distribute agents', 'both'],
    ['target.dialect=shipped', 'target.dialect', 'dialect only with url: embedded', 'it with "http://127.0.0.1:1/a"'],
    [
      'fleet.connections.shared=1',
      'fleet.connections.shared',
      'at least one shared connection per base URL of target.urls, 2 or more',
      '1',
    ],
    ['target.urls=[]', 'target.urls', 'a list of base URLs', 'an empty list'],
    ['target.urls=[embedded]', 'target.urls.0', 'a base URL; set embedded with url', '"embedded"'],
    [
      'target.urls=["ftp://a?key=s3cret"]',
      'target.urls.0',
      expect.stringMatching(/^embedded, or the base URL/),
      '"ftp://a?…"',
    ],
  ])('reject %s', (change, path, expected, found) => {
    expect(problemsOf(TWO, [change])).toMatchObject([{ path, expected, found }]);
  });
});
