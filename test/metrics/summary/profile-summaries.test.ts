import { describe, expect, it } from 'vitest';
import { createProfileRecorder } from '../../../src/metrics/recording/recorder.ts';
import { profileSummaries } from '../../../src/metrics/summary/summary.ts';

describe('the profiles of a summary', () => {
  it('have the response times of their own agents, over all shards', () => {
    const responses = [0, 1].flatMap(() => {
      const recorder = createProfileRecorder((agent) => (agent === 0 ? 'windows-11' : 'debian-12'));
      recorder.finished(0, 'checkdata', 100);
      recorder.finished(1, 'checkdata', 1);
      recorder.finished(1, 'packages', 10);
      return recorder.take();
    });
    expect(profileSummaries({ 'debian-12': 3, 'macos-15': 0, 'windows-11': 2 }, responses)).toMatchObject([
      {
        profile: 'debian-12',
        agents: 3,
        responseMs: { checkdata: { count: 2, max: 1 }, packages: { count: 2, min: 10 } },
      },
      { profile: 'macos-15', agents: 0, responseMs: {} },
      { profile: 'windows-11', agents: 2, responseMs: { checkdata: { count: 2, p50: expect.closeTo(100, 0) } } },
    ]);
  });
});
