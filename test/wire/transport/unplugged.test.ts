import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { httpAnswer, probe, type Reply, rawServer, turns, until } from './wire.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

const accept: Reply = (socket) => socket.write(httpAnswer(200, '{"received_checks":1}'));

/** A client, and the server that it pushes to. */
async function connected(reply: Reply, overTls = false) {
  const server = await rawServer(reply, { overTls });
  const baseUrl = `http${overTls ? 's' : ''}://127.0.0.1:${server.port}`;
  const client = probe({ baseUrl, ...(overTls && { tls: { verify: false, ca: undefined } }) });
  open.push(server, client.transport);
  return { server, ...client };
}

function ended(socket: Socket | undefined): () => boolean {
  let isOver = false;
  for (const event of ['end', 'close'] as const) socket?.on(event, () => (isOver = true));
  return () => isOver;
}

describe.each([false, true])('a connection whose cable is unplugged (over TLS: %s)', (overTls) => {
  it('stays open at the server, which gets no answer', async () => {
    const { server, transport, push } = await connected(accept, overTls);
    await push(0);
    const isOver = ended(server.sockets[0]);
    expect(transport.unplug(0)).toBe(true);
    server.sockets[0]?.write('nobody reads this');
    await turns(20);
    expect(isOver()).toBe(false);
  });

  it('continues if the agent has not used it in the meantime', async () => {
    const { server, transport, push } = await connected(accept, overTls);
    await push(0);
    transport.unplug(0);
    transport.plug(0);
    expect((await push(0)).ending).toMatchObject({ status: 200 });
    expect(server.sockets).toHaveLength(1);
  });

  it('delivers the answer to a pending request once the cable is plugged in again', async () => {
    let answer = (): void => {};
    const { server, transport, push, endings } = await connected((socket, _request, number) => {
      if (number === 1) accept(socket, '', 1);
      else answer = () => accept(socket, '', 2);
    }, overTls);
    await push(0);
    const second = push(0);
    await until(() => server.requests.length === 2);
    transport.unplug(0);
    answer();
    await turns(20);
    expect(endings).toHaveLength(1);
    transport.plug(0);
    expect((await second).ending).toMatchObject({ status: 200 });
  });

  it('closes at the server only after the cable is plugged in, if its request was aborted or its process ended', async () => {
    const { server, transport, push } = await connected((socket, _request, number) => {
      if (number !== 2) accept(socket, '', number);
    }, overTls);
    await push(0);
    void push(0);
    await push(1);
    await until(() => server.requests.length === 3);
    const over = server.sockets.map(ended);
    for (const agent of [0, 1]) transport.unplug(agent);
    transport.abort(0);
    transport.disconnect(1);
    await turns(20);
    expect(over.map((isOver) => isOver())).toEqual([false, false]);
    for (const agent of [0, 1]) transport.plug(agent);
    await until(() => over.every((isOver) => isOver()));
    expect((await push(0)).ending).toMatchObject({ status: 200 });
    expect(server.sockets).toHaveLength(3);
  });
});

it('refuses to unplug agents that share connections', async () => {
  const server = await rawServer(accept);
  const client = probe({ baseUrl: `http://127.0.0.1:${server.port}`, sharedConnections: 1 });
  open.push(server, client.transport);
  await client.push(0);
  expect(client.transport.unplug(0)).toBe(false);
  expect((await client.push(0)).ending).toMatchObject({ status: 200 });
});
