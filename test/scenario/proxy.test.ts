import { describe, expect, it } from 'vitest';
import { agentSettingsOf } from '../../src/scenario/agents.ts';
import { formatScenario } from '../../src/scenario/file.ts';
import { proxyTo } from '../../src/scenario/proxy.ts';
import { problemsOf, SMALLEST, scenarioOf } from './read-scenario.ts';

const withProxy = (proxy: string, url = 'http://127.0.0.1') =>
  `${SMALLEST}target: { url: '${url}', proxy: '${proxy}' }\n`;

const PROXY = { HTTP_PROXY: 'http://proxy.example:3128', NO_PROXY: 'other.example' };

describe('the proxy of a target', () => {
  it('is not taken from the environment unless the scenario asks for it', () => {
    const { target } = scenarioOf(`${SMALLEST}target: { url: 'http://mon.example' }\n`, [], PROXY);
    expect(proxyTo(target.url, target.proxy)).toBeUndefined();
  });

  it.each([
    'http://127.0.0.1:3128',
    'https://proxy.example',
    'http://user:p%40ss@[::1]:3128/',
    'socks5://proxy.example',
    'socks5h://127.0.0.1:1080',
  ])('may be %s, and is part of the configuration of agents', (url) => {
    const scenario = scenarioOf(withProxy(url));
    expect(scenario.target.proxy).toEqual({ kind: 'url', url });
    expect(agentSettingsOf(scenario)(0).push?.proxy).toBe(url);
  });

  it('comes from the environment and depends on the target URL if the scenario asks for it', () => {
    const proxyOfTarget = (url: string) => {
      const scenario = scenarioOf(withProxy('environment', url), [], PROXY);
      expect(agentSettingsOf(scenario)(0).push?.proxy).toBe('');
      return proxyTo(url, scenario.target.proxy)?.host;
    };
    expect(proxyOfTarget('http://mon.example')).toBe('proxy.example');
    for (const url of ['https://mon.example', 'http://other.example', 'http://127.0.0.1', 'http://localhost'])
      expect(proxyOfTarget(url)).toBeUndefined();
  });

  it.each([
    ['127.0.0.1:3128', '"127.0.0.1:3128"', 'http://127.0.0.1:3128'],
    ['enviroment', '"enviroment"', 'environment'],
    ['ftp://127.0.0.1', '"ftp://127.0.0.1"', undefined],
    ['http://127.0.0.1:99999', '"http://127.0.0.1:99999"', undefined],
    ['http://127.0.0.1/path', '"http://127.0.0.1/path"', undefined],
    ['http://u:secret%zz@127.0.0.1', '"http://127.0.0.1"', undefined],
    ['u:secret@127.0.0.1:1', '"…@127.0.0.1:1"', undefined],
  ])('cannot be %s', (proxy, found, suggestion) => {
    expect(problemsOf(withProxy(proxy))).toMatchObject([
      {
        path: 'target.proxy',
        expected: 'environment, or the URL of a proxy such as http://127.0.0.1:3128',
        found,
        ...(suggestion !== undefined && { suggestion }),
      },
    ]);
    expect(JSON.stringify(problemsOf(withProxy(proxy)))).not.toContain('secret');
  });

  it('is written without user and password, which are read from the environment', () => {
    const scenario = scenarioOf(withProxy('http://user:secret@127.0.0.1:3128'));
    const text = formatScenario(scenario);
    expect(text).not.toContain('secret');
    expect(scenarioOf(text, [], { MUSTER_PROXY_USER: 'user:secret' })).toEqual(scenario);
    expect(formatScenario(scenarioOf(withProxy('environment')))).toContain('proxy: environment\n');
    expect(formatScenario(scenarioOf(withProxy('socks5://127.0.0.1')))).toContain('proxy: socks5://127.0.0.1\n');
  });
});
