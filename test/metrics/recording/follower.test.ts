import { describe, expect, it } from 'vitest';
import { createFollower } from '../../../src/metrics/recording/follower.ts';

const subject = (agent: number) =>
  ({ agent, phase: 'steady', operation: 'checkdata', atMs: 5, secrets: ['PASSWORD'] }) as const;
const request = () => ({ head: 'POST / HTTP/1.1\r\nAuthorization: X-OITC-API KEY', body: '{"password":"PASSWORD"}' });
const answer = () => ({ head: 'HTTP/1.1 200 OK', body: 'KEY and PASSWORD', reason: '' });

describe('a follower', () => {
  it('keeps the last request and answer only of agents that were looked at, without secrets', () => {
    const follower = createFollower(['KEY']);
    expect(follower.follows(7)).toBe(false);
    follower.request(subject(7), request);
    expect(follower.look(7)).toEqual({ request: undefined, answer: undefined });
    expect([follower.follows(7), follower.follows(8)]).toEqual([true, false]);
    follower.request(subject(7), request);
    expect(follower.look(7)).toMatchObject({ request: { agent: 7, operation: 'checkdata' }, answer: undefined });
    follower.answer(subject(7), { outcome: 'ok', serviceMs: 3 }, answer);
    const seen = follower.look(7);
    expect(seen.answer).toMatchObject({ outcome: 'ok', serviceMs: 3, head: 'HTTP/1.1 200 OK' });
    expect(JSON.stringify(seen)).not.toMatch(/KEY|PASSWORD/);
    // The next request discards the answer to the previous one.
    follower.request(subject(7), request);
    expect(follower.look(7).answer).toBeUndefined();
  });

  it('follows the sixteen agents that were looked at last', () => {
    const follower = createFollower([]);
    for (let agent = 0; agent < 16; agent++) follower.look(agent);
    follower.look(0);
    follower.look(16);
    const followed = Array.from({ length: 17 }, (_, agent) => agent).filter(follower.follows);
    expect(followed).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  });
});
