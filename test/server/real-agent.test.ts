import { expect, it } from 'vitest';
import { ENDPOINT_PATHS } from '../../src/base/protocol/push.ts';
import { startMonitoringServer } from '../../src/server/start.ts';
import { exchange } from './push-client.ts';

/** A request of agent 3.6.1 without an API key, as sent on the wire (docs/reference/wire.md, "Requests on the wire"). */
function wire(path: string, body: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1:8080',
    'User-Agent: openITCOCKPIT Agent/3.6.1',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Authorization: X-OITC-API',
    'Content-Type: application/json',
    'Accept-Encoding: gzip',
    '',
    body,
  ].join('\r\n');
}

const END = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

it.each(['documented', 'shipped'] as const)(
  'the real agent enrolls and pushes on one connection in the %s dialect, and can decode all answers',
  async (dialect) => {
    const server = await startMonitoringServer({ dialect });
    const uuid = 'd5b6c0a2-6a3d-4e5f-8f7a-0c1d2e3f4a5b';
    const enrollment = `{"agentuuid":"${uuid}","password":"","hostname":"web\\u003c01","ipaddress":"[2001:db8::1]"}`;
    const enrolled = await exchange(server.port, wire(ENDPOINT_PATHS.register_agent, enrollment) + END);
    expect(enrolled).toMatch(/^HTTP\/1\.1 201 /);
    const { agentuuid, password } = JSON.parse(/^\{.*\}/m.exec(enrolled)?.[0] ?? '');
    expect([agentuuid, password.length]).toEqual([uuid, 128]);

    const credentials = `"agentuuid":"${uuid}","password":"${password}"`;
    const counters = '{"windows_services":[],"disk_io":{"C:":{"Timestamp_Sys100NS":134139744000000000}}}';
    const packages = '{"Enabled":true,"Pending":false,"LastUpdate":1700000000,"Stats":{"OperatingSystem":"windows"}}';
    const pushes =
      wire(ENDPOINT_PATHS.submit_checkdata, `{"checkdata":${counters},${credentials}}`) +
      wire(ENDPOINT_PATHS.submit_package_info, `{"checkdata":${packages},${credentials}}`);
    const answers = await exchange(server.port, pushes + END);
    expect(answers.match(/HTTP\/1\.1 \d+/g)?.slice(0, 2)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    const [checks, packageInfo] = (answers.match(/^\{.*?\}/gm) ?? []).map((body) => JSON.parse(body));
    expect(checks).toMatchObject({ received_checks: dialect === 'shipped' ? 0 : 2 });
    expect(packageInfo).toMatchObject({ success: true, error: '' });
    await server.stop();
  },
);
