import { formatBytes } from '../../src/base/kernel/units.ts';
import { readHostData } from '../../src/base/storage/host-data.ts';
import { compilePayloads } from '../../src/hosts/payloads.ts';
import { uuidOf } from '../../src/wire/agent/identity.ts';

export type Size = 'lean' | 'typical' | 'full';

/** The fleets of all benchmarks have one kind of host, so that bodies have similar sizes. */
export const SEED = 1;
export const PROFILE = 'ubuntu-24.04';
export const PASSWORD = 'f'.repeat(128);

const HOSTS = 64;
const AT_MS = Date.UTC(2026, 0, 1);

/** A push that is sent repeatedly: the one with the median body size among some agents. */
export type OnePush = { readonly uuid: string; readonly body: Buffer; readonly sizeText: string };

export function onePush(payload: Size): OnePush {
  const writer = compilePayloads({
    data: readHostData(),
    seed: SEED,
    profiles: { [PROFILE]: 1 },
    payload,
    checkIntervalSeconds: 30,
  });
  const pushes = Array.from({ length: HOSTS }, (_, agent) => {
    const out = Buffer.alloc(writer.checkdataRoomBytes(agent));
    const checkdata = out.subarray(0, writer.writeCheckdata(out, 0, agent, AT_MS));
    const uuid = uuidOf(SEED, agent);
    const credentials = `,"agentuuid":"${uuid}","password":"${PASSWORD}"}`;
    return { uuid, body: Buffer.concat([Buffer.from('{"checkdata":'), checkdata, Buffer.from(credentials)]) };
  });
  const { uuid = '', body = Buffer.alloc(0) } =
    pushes.toSorted((a, b) => a.body.length - b.body.length)[HOSTS / 2] ?? {};
  return { uuid, body, sizeText: formatBytes(body.length) };
}
