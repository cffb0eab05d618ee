import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { refusedCount } from '../../../src/metrics/recording/listener-counts.ts';
import { ask } from './client.ts';
import { startFleet } from './running-fleet.ts';

const ASKED = `
target: { url: embedded }
fleet: { agents: 4, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: LISTEN, interval: 3s }
phases: [{ name: asked, duration: 1m }]
thresholds:
  listeners: ["refused == 0", "down == 0", "unanswered == 0", "accepted >= 61"]`;

it('clients that sent no request are counted by reason, judged by thresholds, and mentioned in warnings', async () => {
  const fleet = await startFleet(ASKED, { workers: 2 });
  onTestFinished(fleet.close);
  const garbage = Array.from(
    { length: 60 },
    (_, n) =>
      new Promise<void>((resolve) => {
        const socket = connect(fleet.at(n % 4)).on('error', () => {});
        socket.end('\x16\x03\x01\x00\xff garbage\r\n\r\n');
        socket.resume().once('close', () => resolve());
      }),
  );
  await Promise.all(garbage);
  expect((await ask(fleet.at(0), '/')).status).toBe(200);
  await expect.poll(() => fleet.listeners().accepted).toBe(61);
  expect(fleet.listeners()).toMatchObject({ handshakes: 0, unanswered: 0 });
  const { summary } = await fleet.stop();
  expect(summary.webServers?.listeners).toMatchObject({
    accepted: 61,
    handshakes: 0,
    unanswered: 0,
    refused: { bad_request: 60 },
  });
  expect(summary.warnings).toContain('agents refused 60 of 61 connections before a request (60 bad_request)');
  expect(summary.thresholds.map(({ text, observed, passed }) => [text, observed, passed])).toEqual([
    ['refused == 0', 60, false],
    ['down == 0', 0, true],
    ['unanswered == 0', 0, true],
    ['accepted >= 61', 61, true],
  ]);
  expect(refusedCount(fleet.listeners())).toBe(60);
});
