import type { Socket } from 'node:net';
import { addressOf } from '../../../base/kernel/address.ts';
import type { Clock, Timer } from '../../../base/kernel/clock.ts';
import {
  ATTACK_BOUNDS,
  ATTACK_ENDINGS,
  type AttackEnding,
  type Attacker,
  type AttackName,
} from '../../../base/protocol/attacks.ts';
import { createDialers, type Dialer, type DialSettings } from '../dialer.ts';
import { type AnswerParsers, createAnswerParsers, endOfAnswer, parse } from '../http-parser.ts';
import { createTargetAddresses, type TargetName } from '../target-addresses.ts';
import type { AttackBudget } from './attack-budget.ts';
import { type AttackStep, type HostileTarget, type Script, scriptOf } from './script.ts';

export type HostileSettings = HostileTarget & DialSettings & Omit<TargetName, 'host'>;

/** How an attack ended, how long it took from its first dial, and how much it wrote. */
export type AttackReport = {
  readonly how: AttackName;
  readonly ending: AttackEnding;
  readonly latencyMs: number;
  readonly sentBytes: number;
};

export type HostilePorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Remaining share of the limits for all attacks of a worker. */
  readonly budget: AttackBudget;
  /** Called once per attack; for a skipped one, before `attack` returns. */
  readonly ended: (agent: number, report: AttackReport) => void;
};

const EVERY_MS = 1000;
const NOTHING = Buffer.alloc(0);

/** Agents that misbehave on the wire, each with one attack at a time, over separate connections. */
export type HostileClient = ReturnType<typeof createHostileClient>;

/** Performs attacks over sockets, within `ATTACK_BOUNDS`, on the base URL only; it follows no redirects. */
export function createHostileClient(settings: HostileSettings, ports: HostilePorts) {
  const base = new URL(settings.baseUrl);
  const addresses = createTargetAddresses({ ...settings, ...addressOf(base) });
  const spare = { spareDials: Number.POSITIVE_INFINITY, outlasts: false };
  const direct = { addresses, proxy: undefined, protocols: ['http/1.1'], budget: spare };
  const dialersTo = (origin: URL) => createDialers({ ...settings, ...direct, base: origin, name: origin.hostname }, {});
  const dialerOf = dialersTo(base);
  const plain = base.protocol === 'https:' ? dialersTo(inPlain(base)) : dialerOf;
  let dials = 0;
  const { budget } = ports;
  const inProgress = new Map<number, () => void>();
  const parsers = createAnswerParsers();
  const begin = (how: AttackName, agent: Attacker, script: Script): void => {
    const fromMs = ports.clock();
    const dialer = (script.raw ? plain : dialerOf)(agent.agent);
    // An attack tries one address only; the next attack may get another.
    const dial = () => dialer.dial({ number: agent.agent, dials: dials++ }, (_loser, winner) => winner.destroy());
    const leave = runScript({ script, dialer, dial, parsers, timer: ports.timer }, (ending, sentBytes) => {
      inProgress.delete(agent.agent);
      budget.giveBack(script.connections.length);
      ports.ended(agent.agent, { how, ending, latencyMs: ports.clock() - fromMs, sentBytes });
    });
    inProgress.set(agent.agent, leave);
  };
  return {
    /** Does nothing while the agent's previous attack is in progress. */
    attack: (how: AttackName, agent: Attacker) => {
      if (inProgress.has(agent.agent)) return;
      const script = budget.hasRoom() ? scriptOf(how, agent, settings) : undefined;
      if (script !== undefined && budget.take(script)) begin(how, agent, script);
      else ports.ended(agent.agent, { how, ending: { kind: 'skipped' }, latencyMs: 0, sentBytes: 0 });
    },
    /** Ends the agent's attack; pending answers count as `unanswered`. */
    leave: (agent: number): void => inProgress.get(agent)?.(),
    close: () => {
      for (const leave of [...inProgress.values()]) leave();
    },
  };
}

function inPlain(base: URL): URL {
  const url = new URL(base);
  const port = base.port === '' ? '443' : base.port;
  return new URL(`http://${url.hostname}:${port}`);
}

type ScriptRun = {
  readonly script: Script;
  readonly dialer: Dialer;
  readonly dial: () => Socket;
  readonly parsers: AnswerParsers;
  readonly timer: Timer;
};

/** Runs a script, which starts all its connections at the same time. Returns a function that aborts it. */
function runScript(run: ScriptRun, done: (ending: AttackEnding, sentBytes: number) => void): () => void {
  const { script, timer } = run;
  let toConnect = script.connections.length;
  let open = script.connections.length;
  let worst: AttackEnding = { kind: 'accepted', status: 0 };
  let sentBytes = 0;
  const connected = (): void => {
    toConnect--;
    if (toConnect === 0)
      for (const [index, steps] of script.connections.entries()) void runSteps(steps, connections[index] as Connection);
  };
  const connections = script.connections.map(() =>
    connect(run, {
      connected,
      ended: (ending, bytes) => {
        if (rankOf(ending) >= rankOf(worst)) worst = ending;
        sentBytes += bytes;
        open--;
        if (open > 0) return;
        cancelTimer();
        done(worst, sentBytes);
      },
    }),
  );
  const leave = (): void => {
    for (const connection of connections) end(connection, { kind: 'unanswered' });
  };
  const cancelTimer = timer(ATTACK_BOUNDS.longestMs, leave);
  return leave;
}

function rankOf({ kind }: AttackEnding): number {
  return ATTACK_ENDINGS.indexOf(kind);
}

/** One connection of an attack, from dial to end. */
type Connection = ReturnType<typeof newConnection>;

type ConnectionPorts = {
  readonly connected: () => void;
  /** Called once. */
  readonly ended: (ending: AttackEnding, sentBytes: number) => void;
};

function newConnection(run: ScriptRun, { ended }: ConnectionPorts) {
  return {
    run,
    ended,
    socket: run.dial(),
    isConnected: false,
    isOver: false,
    /** Reads the answer that is not complete yet. */
    parser: run.parsers.take(),
    answers: 0,
    /** Called when data has arrived, and when the connection has ended. */
    wake: () => {},
  };
}

function connect(run: ScriptRun, ports: ConnectionPorts): Connection {
  const { script, dialer } = run;
  const connection = newConnection(run, ports);
  const { socket } = connection;
  socket.once(dialer.readyEvent, () => {
    if (dialer.distrust(socket) !== undefined) return end(connection, { kind: 'failed' });
    connection.isConnected = true;
    ports.connected();
  });
  if (!script.deaf)
    socket.on('data', (chunk: Buffer) => {
      for (let rest = chunk; rest.length > 0; ) rest = readAnswer(connection, rest);
      connection.wake();
    });
  socket.on('error', () => {});
  socket.once('close', () => {
    // The end of the connection may be the end of an answer.
    const answer = connection.isOver ? undefined : endOfAnswer(connection.parser);
    if (answer !== undefined) answered(connection, answer.head.status);
    end(connection, { kind: connection.isConnected ? 'closed' : 'failed' });
  });
  return connection;
}

function end(connection: Connection, ending: AttackEnding): void {
  const { run, socket, ended, isConnected, isOver, parser } = connection;
  if (isOver) return;
  connection.isOver = true;
  connection.wake();
  run.parsers.giveBack(parser);
  const sentBytes = isConnected ? socket.bytesWritten : 0;
  socket.destroy();
  ended(ending, sentBytes);
}

/** The first answer that is no success ends the connection, as does the last one that it waits for. */
function answered(connection: Connection, status: number): void {
  connection.answers++;
  if (status < 200 || status > 299) end(connection, { kind: 'refused', status });
  else if (connection.answers === connection.run.script.answers) end(connection, { kind: 'accepted', status });
}

/** Consumes the bytes of one answer; returns those that follow it. */
function readAnswer(connection: Connection, chunk: Buffer): Buffer {
  const { run, parser } = connection;
  if (connection.isOver) return NOTHING;
  const step = parse(parser, chunk);
  // A server may answer half a handshake with TLS.
  if (step === 'malformed' && !run.script.raw) end(connection, { kind: 'failed' });
  if (typeof step === 'string') return NOTHING;
  const rest = chunk.subarray(parser.at);
  answered(connection, step.head.status);
  if (connection.isOver) return NOTHING;
  run.parsers.giveBack(parser);
  connection.parser = run.parsers.take();
  return rest;
}

async function runSteps(steps: readonly AttackStep[], connection: Connection): Promise<void> {
  for (const step of steps) {
    if (connection.isOver) return;
    await runStep(step, connection);
  }
}

async function runStep(step: AttackStep, connection: Connection): Promise<void> {
  switch (step.kind) {
    case 'reset':
      // Node cannot reset a TLS connection, so it just closes it.
      if (connection.run.dialer.readyEvent === 'connect') connection.socket.resetAndDestroy();
      return end(connection, { kind: 'unanswered' });
    case 'finish':
      connection.socket.end();
      return;
    case 'send':
      return send(connection, step.pieces);
    case 'trickle':
      return trickle(connection, step.bytes);
    case 'repeat':
      return repeat(connection, step.bytes);
    case 'await':
      return awaitAnswers(connection, step.answers);
  }
}

async function send(connection: Connection, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (connection.isOver) return;
    await new Promise<void>((resolve) => connection.socket.write(piece, () => resolve()));
  }
}

async function trickle(connection: Connection, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    if (connection.isOver) return;
    connection.socket.write(Buffer.of(byte));
    await pause(connection);
  }
}

async function repeat(connection: Connection, bytes: Buffer): Promise<void> {
  while (!connection.isOver) {
    // Waits for the previous write to flush; otherwise the queue would fill this process's memory.
    if (connection.socket.writableLength === 0) connection.socket.write(bytes);
    await pause(connection);
  }
}

async function awaitAnswers(connection: Connection, count: number | 'a beginning'): Promise<void> {
  const { socket } = connection;
  while (!connection.isOver && !(count === 'a beginning' ? socket.bytesRead > 0 : connection.answers >= count))
    await new Promise<void>((resolve) => {
      connection.wake = resolve;
    });
}

/** Resolves after `EVERY_MS`, or when the connection has ended. */
function pause(connection: Connection): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = connection.run.timer(EVERY_MS, resolve);
    connection.wake = () => {
      if (!connection.isOver) return;
      cancelTimer();
      resolve();
    };
  });
}
