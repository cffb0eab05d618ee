import { describe, expect, it } from 'vitest';
import { environmentProxy, proxyAuthorization, proxyMode, proxyOf } from '../../../src/wire/agent/proxy.ts';

const PROXY = 'http://proxy.example:3128';

describe('the URL of a proxy', () => {
  it.each([
    ['http://proxy.example', { kind: 'http', isSecure: false, host: 'proxy.example', port: 80 }],
    ['HTTPS://proxy.example', { kind: 'http', isSecure: true, host: 'proxy.example', port: 443 }],
    ['socks5://[::1]', { kind: 'socks5', isSecure: false, host: '::1', port: 1080 }],
    ['socks5h://10.0.0.1:9/x?y', { kind: 'socks5', isSecure: false, host: '10.0.0.1', port: 9 }],
    ['ftp://proxy.example:21', { kind: 'http', isSecure: false, host: 'proxy.example', port: 21 }],
  ])('%s defines protocol, host and port', (text, expected) => {
    expect(proxyOf(text)).toMatchObject(expected);
  });

  it.each(['proxy.example:3128', '/proxy', 'proxy'])('%s has no host, and leads nowhere', (text) => {
    expect(proxyOf(text)).toMatchObject({ host: '', port: 0 });
  });

  it.each([
    ['http://user:pass@p', 'Basic dXNlcjpwYXNz'],
    ['http://user@p', 'Basic dXNlcjo='],
    ['http://@p', 'Basic Og=='],
    ['http://a%3Ab:p%40s:s@p', `Basic ${btoa('a:b:p@s:s')}`],
    ['http://w%C3%B6:%ff@p', `Basic ${btoa('w\u00c3\u00b6:\u00ff')}`],
    ['http://p', undefined],
  ])('%s is sent as %s', (text, expected) => {
    expect(proxyAuthorization(proxyOf(text))).toBe(expected);
  });
});

describe('the way to a server', () => {
  it.each([
    ['http://mon.example', PROXY, 'forward'],
    ['http://mon.example', 'https://proxy.example', 'forward'],
    ['https://mon.example', PROXY, 'tunnel'],
    ['http://mon.example', 'socks5://proxy.example', 'tunnel'],
    ['https://mon.example', 'socks5://proxy.example', 'tunnel'],
  ])('to %s through %s is a %s', (url, proxy, kind) => {
    expect(proxyMode(new URL(url), proxyOf(proxy)).kind).toBe(kind);
  });
});

describe('the proxy of the environment', () => {
  const ofVariables = (variables: Parameters<typeof environmentProxy>[0], url: string) =>
    environmentProxy(variables, new URL(url));

  it('is that of the scheme, in uppercase first, and never ALL_PROXY', () => {
    expect(ofVariables({ HTTP_PROXY: PROXY, http_proxy: 'http://other' }, 'http://mon.example')).toBe(PROXY);
    expect(ofVariables({ HTTP_PROXY: '', http_proxy: PROXY }, 'http://mon.example')).toBe(PROXY);
    expect(ofVariables({ HTTP_PROXY: PROXY }, 'https://mon.example')).toBeUndefined();
    expect(ofVariables({ https_proxy: 'proxy.example:3128' }, 'https://mon.example')).toBe(PROXY);
    expect(ofVariables({ HTTP_PROXY: 'http://%zz' }, 'http://mon.example')).toBeUndefined();
  });

  it.each([...['http://localhost', 'http://127.0.0.1:81', 'http://127.9.9.9', 'http://[::1]:80']])(
    'is none for %s, which is loopback',
    (url) => {
      expect(ofVariables({ HTTP_PROXY: PROXY }, url)).toBeUndefined();
    },
  );

  it('applies to any other name, even a subdomain of localhost', () => {
    expect(ofVariables({ HTTP_PROXY: PROXY }, 'http://a.localhost')).toBe(PROXY);
  });

  it.each([
    ...['*', 'mon.example', 'example', '.example', '*.example', 'a, MON.example', 'mon.example:8080', 'mon.example:'],
  ])('is none for mon.example:8080 with NO_PROXY=%s', (noProxy) => {
    expect(ofVariables({ HTTP_PROXY: PROXY, NO_PROXY: noProxy }, 'http://mon.example:8080')).toBeUndefined();
  });

  it.each([...['', '.mon.example', 'mon.example:80', 'on.example', 'mon*', ',:8080', '10.0.0.0/8', '0.0.0.0/0']])(
    'applies to mon.example:8080 with NO_PROXY=%s',
    (noProxy) => {
      expect(ofVariables({ HTTP_PROXY: PROXY, no_proxy: noProxy }, 'http://mon.example:8080')).toBe(PROXY);
    },
  );

  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3', '10.1.2.0/24'],
    ['10.1.2.3', '10.1.2.3:80'],
    ['[2001:db8::1]', '2001:db8::/32'],
    ['[2001:db8::1]', '[2001:db8:0::1]:80'],
  ])('is none for %s with NO_PROXY=%s', (host, noProxy) => {
    expect(ofVariables({ HTTP_PROXY: PROXY, NO_PROXY: noProxy }, `http://${host}`)).toBeUndefined();
  });

  it.each([
    ['10.1.2.3', '10.1.3.0/24'],
    ['10.1.2.3', '10.1.2.0/33'],
    ['10.1.2.3', '10.1.2.3:8080'],
    ['10.1.2.3', '2.3'],
    ['[2001:db8::1]', '10.0.0.0/8'],
  ])('applies to %s with NO_PROXY=%s', (host, noProxy) => {
    expect(ofVariables({ HTTP_PROXY: PROXY, NO_PROXY: noProxy }, `http://${host}`)).toBe(PROXY);
  });

  it('ends an agent with the variables of a CGI script if its server uses plain HTTP', () => {
    const variables = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, REQUEST_METHOD: 'GET' };
    expect(ofVariables(variables, 'http://mon.example')).toBe('refused');
    expect(ofVariables(variables, 'https://mon.example')).toBe(PROXY);
  });
});
