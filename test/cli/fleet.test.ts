import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runMuster } from '../../src/cli/muster.ts';
import { muster } from './muster.ts';

const STEADY = `
target: { url: embedded }
fleet: { agents: 3, payload: lean }
phases: [{ name: steady, duration: 1s, checkdata: { every: 200ms } }]
thresholds: { checkdata: ["p(99) < 1s"] }
`;

function folderWith(text = STEADY): string {
  const cwd = mkdtempSync(join(tmpdir(), 'muster-fleet-'));
  writeFileSync(join(cwd, 'staging.yaml'), text);
  return cwd;
}

/** Runs a fleet until its output matches, then interrupts it. */
async function keptUp(
  cwd: string,
  args: readonly string[],
  until: RegExp,
  meanwhile: (interrupt: () => void) => Promise<void> = async () => {},
  onText: (stderr: string) => void = () => {},
) {
  let stderr = '';
  let interrupt = (): void => {};
  const seen = Promise.withResolvers<void>();
  const code = runMuster(['fleet', 'staging.yaml', '--quiet', '--workers', '1', ...args], {
    stdin: (async function* () {})(),
    stdout: { write: () => {} },
    stderr: {
      write: (text) => {
        stderr += text;
        onText(stderr);
        if (until.test(stderr)) seen.resolve();
      },
    },
    env: {},
    cwd,
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => {};
    },
  });
  await Promise.race([seen.promise, code]);
  await meanwhile(() => interrupt());
  interrupt();
  return { code: await code, stderr };
}

describe('muster fleet', () => {
  describe('that is started twice', () => {
    const cwd = folderWith();
    const folder = join(cwd, 'fleets', 'staging');
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    const token = () => JSON.parse(read('identities.db.control.json')).token;
    let firstToken = '';
    let log = '';

    it('keeps all files and its token in its own folder, and ends with 0 when interrupted', async () => {
      const beganMs = Date.now();
      const { code, stderr } = await keptUp(cwd, [], /are up/, async () => {
        firstToken = token();
        const rows = async (): Promise<readonly { readonly at: string }[]> =>
          JSON.parse((await muster(['ctl', 'figures', '--resolution', 'second', '--json'], { cwd })).stdout).rows;
        await expect.poll(async () => (await rows()).length).toBeGreaterThan(0);
        for (const { at } of await rows()) expect(Date.parse(at)).toBeGreaterThan(beganMs - 1000);
      });
      expect([code, stderr]).toEqual([0, expect.stringMatching(/3 agents are up for the first time/)]);
      expect(stderr).toMatch(/evaluate thresholds/);
      log = read('identities.db.events.yaml');
      expect(log).toMatch(/^# Events of the fleet staging, seed 1, raised at .*\n# Kept \{.*\}\n# Hosts \{.*\}\n$/);
      expect(readdirSync(folder)).toEqual(
        expect.arrayContaining(['identities.db', 'identities.db.figures', 'identities.db.hosts']),
      );
      expect(readdirSync(folder)).not.toContain('identities.db.control.json');
    });

    it('continues, and rejects files in use and files of another fleet by its name', async () => {
      let refused: Awaited<ReturnType<typeof muster>> | undefined;
      const { code, stderr } = await keptUp(cwd, [], /are up/, async () => {
        expect(token()).toBe(firstToken);
        refused = await muster(['fleet', 'staging.yaml'], { cwd });
      });
      expect([code, stderr]).toEqual([0, expect.stringMatching(/are up again, \d+s after the first start/)]);
      expect(read('identities.db.events.yaml')).toBe(log);
      expect([refused?.code, refused?.stderr]).toEqual([104, expect.stringMatching(/Another fleet uses the files/)]);
      const other = await muster(['fleet', 'staging.yaml', '--seed', '2'], { cwd });
      const belongs = expect.stringMatching(/belongs to the fleet staging with seed 1/);
      expect([other.code, other.stderr]).toEqual([104, belongs]);
    });
  });

  it('completes operations in flight when interrupted once, aborts them when interrupted again, and ends with 0', async () => {
    const held: ServerResponse[] = [];
    const server = createServer(async (request, response) => {
      const { agentuuid } = JSON.parse(await text(request));
      if (request.url?.endsWith('register_agent.json') !== true) return void held.push(response);
      response.writeHead(201, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ agentuuid, password: 'p' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const cwd = folderWith(STEADY.replace('url: embedded', `url: "${url}", timeout: 10m`));
    const { code } = await keptUp(cwd, [], /are up/, async (interrupt) => {
      await expect.poll(() => held.length).toBe(3);
      interrupt();
      // Its workers answer this after they heard of the interrupt.
      await muster(['ctl', 'agents'], { cwd });
      const [first, ...others] = held;
      await Promise.all(
        others.map(async (response) => {
          response.end('{"received_checks":1}');
          await once(response, 'close');
        }),
      );
      expect(held.map(({ closed, writableFinished }) => [closed, writableFinished])).toEqual([
        [false, false],
        [true, true],
        [true, true],
      ]);
      interrupt();
      if (first?.closed === false) await once(first, 'close');
    });
    expect([code, held.length]).toEqual([0, 3]);
    server.close();
  });

  it('accepts no more events than the next start can read, and says how to make room', async () => {
    const cwd = folderWith();
    const log = (lines: number) => {
      const entries = Array.from(
        { length: lines },
        (_, n) => `- { name: kick-${n}, do: restart, cohort: 0, at: ${n}s }\n`,
      );
      return `# Events of the fleet staging, seed 1, raised at 2026-01-31T12:00:00.000Z\n${entries.join('')}`;
    };
    mkdirSync(join(cwd, 'own'));
    const file = join(cwd, 'own/identities.db.events.yaml');
    writeFileSync(file, log(4999));
    const told: string[] = [];
    await keptUp(cwd, ['--data', 'own'], /are up/, async () => {
      for (const name of ['last', 'beyond']) {
        const { stdout, stderr } = await muster(['ctl', 'do', 'restart', '--yes', '--name', name, '--data', 'own'], {
          cwd,
        });
        told.push(`${stdout}${stderr}`);
      }
    });
    expect(told).toEqual([
      expect.stringMatching(/^last hits 3 agents/),
      expect.stringMatching(/^event beyond: expected at most 5000 events in .*found one more; .*remove lines/),
    ]);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.length).toBe(5004);
    expect(lines.at(-2)).toMatch(/^- \{ name: last, do: restart, .* # by control on \d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('exposes the health of its agents, its events and its process', async () => {
    let scraped = '';
    let url = '';
    await keptUp(
      folderWith(`${STEADY}events: [{ do: disconnect, name: cable, cohort: "0" }]\n`),
      ['--metrics-address', '127.0.0.1:0'],
      /are up/,
      async () => {
        const scrape = async () => {
          scraped = await (await fetch(url)).text();
          return scraped;
        };
        await expect.poll(scrape).toMatch(/muster_agents_health\{[^}]*state="reporting"[^}]*\} 2/);
      },
      (stderr) => {
        url = /Metrics: (\S+)/.exec(stderr)?.[1] ?? url;
      },
    );
    expect(scraped).toMatch(/muster_agents_health\{[^}]*state="down"[^}]*\} 1/);
    expect(scraped).toMatch(/muster_event_active\{[^}]*event="cable"[^}]*\} 1/);
    expect(scraped).toMatch(/process_resident_memory_bytes [1-9]/);
  });

  it('starts while its control address is missing, says so, and ends with 0 when interrupted', async () => {
    const args = ['--control=192.0.2.1:9500'];
    const { code, stderr } = await keptUp(
      folderWith(),
      args,
      /are up[\s\S]*has this address|has this address[\s\S]*are up/,
    );
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/! Muster cannot listen on 192\.0\.2\.1:9500: .*tries again every second\.\n/),
    ]);
  });

  it('waits for a port of its agents and is up as soon as it is free', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const listening = `${STEADY}webServer: { listen: "127.0.0.1:${port}+" }\n`.replace('agents: 3', 'agents: 1');
    const cwd = folderWith(listening);
    let freed = false;
    const free = (text: string): void => {
      if (!freed && /the port is in use;/.test(text)) {
        freed = true;
        taken.close();
      }
    };
    const { code, stderr } = await keptUp(cwd, [], /are? up|is up/, async () => {}, free);
    expect([code, freed, stderr]).toEqual([0, true, expect.stringMatching(/1 agent is up for the first time/)]);
  });

  it('waits while the clock shows a time before its first start, instead of starting silently later', async () => {
    const cwd = folderWith();
    mkdirSync(join(cwd, 'own'));
    const raisedAt = new Date(Date.now() + 3_600_000).toISOString();
    writeFileSync(
      join(cwd, 'own/identities.db.events.yaml'),
      `# Events of the fleet staging, seed 1, raised at ${raisedAt}\n`,
    );
    const { code, stderr } = await keptUp(cwd, ['--data', 'own'], /Muster waits/);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^! The clock .* before the first start of the fleet at /m),
    ]);
  });

  it.each<[string, string, RegExp, ...string[]]>([
    ['a last phase that cannot continue', 'register: { over: 5s }', /The last phase of a kept fleet never ends/],
    ['a target on another machine', 'checkdata: { every: 1s }', /is not on this machine/, '--target=http://192.0.2.1'],
  ])('rejects %s with a sentence', async (what, load, why, ...args) => {
    const cwd = folderWith(STEADY.replace('checkdata: { every: 200ms }', load));
    const { code, stderr } = await muster(['fleet', 'staging.yaml', ...args], { cwd });
    expect([code, stderr]).toEqual([what.includes('target') ? 112 : 104, expect.stringMatching(why)]);
  });
});
