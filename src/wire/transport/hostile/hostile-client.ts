import type { Socket } from 'node:net';
import { addressOf } from '../../../base/kernel/address.ts';
import type { Clock, Timer } from '../../../base/kernel/clock.ts';
import {
  ATTACK_BOUNDS,
  ATTACK_ENDINGS,
  type AttackEnding,
  type Attacker,
  type AttackName,
  HOARDED_CONNECTIONS,
} from '../../../base/protocol/attacks.ts';
import { createDialers, type Dialer, type DialSettings } from '../dialer.ts';
import { type AnswerParsers, createAnswerParsers, endOfAnswer, parse } from '../http-parser.ts';
import { createTargetAddresses, type TargetName } from '../target-addresses.ts';
import { type HostileTarget, type Move, type Script, scriptOf } from './script.ts';

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

/**
 * Creates a client that performs attacks directly over sockets, within `ATTACK_BOUNDS`. It contacts only the base URL
 * and never follows redirects.
 */
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
    const leave = carryOut({ script, dialer, dial, parsers, timer: ports.timer }, (ending, sentBytes) => {
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

/** Limits open sockets, and attacks and bytes per second. */
export type AttackBudget = ReturnType<typeof createAttackBudget>;

/** Creates one worker's share of `ATTACK_BOUNDS`, with room for at least one attack of each kind. */
export function createAttackBudget(clock: Clock, workers: number) {
  const most = {
    sockets: Math.max(HOARDED_CONNECTIONS, Math.floor(ATTACK_BOUNDS.sockets / workers)),
    perSecond: Math.max(1, Math.floor(ATTACK_BOUNDS.perSecond / workers)),
    bytesPerSecond: ATTACK_BOUNDS.bytesPerSecond / workers,
  };
  let sockets = 0;
  let second = Number.NEGATIVE_INFINITY;
  let begun = 0;
  let bytes = 0;
  const turn = (): void => {
    const now = Math.floor(clock() / 1000);
    if (now === second) return;
    // The seconds after an attack that is larger than the share of one pay for the rest of it.
    bytes = Math.max(0, bytes - (now - second) * most.bytesPerSecond);
    second = now;
    begun = 0;
  };
  return {
    hasRoom: (): boolean => {
      turn();
      return begun < most.perSecond && sockets < most.sockets;
    },
    /** Returns false if there is no room for the attack. */
    take: ({ connections, sizeBytes }: Pick<Script, 'connections' | 'sizeBytes'>): boolean => {
      const isSmall = bytes === 0 || bytes + sizeBytes <= most.bytesPerSecond;
      if (!isSmall || sockets + connections.length > most.sockets) return false;
      sockets += connections.length;
      bytes += sizeBytes;
      begun++;
      return true;
    },
    giveBack: (count: number) => {
      sockets -= count;
    },
  };
}

type Means = {
  readonly script: Script;
  readonly dialer: Dialer;
  readonly dial: () => Socket;
  readonly parsers: AnswerParsers;
  readonly timer: Timer;
};

/** Performs a script, starting all connections at the same time. Returns a function that aborts it. */
function carryOut(means: Means, done: (ending: AttackEnding, sentBytes: number) => void): () => void {
  const { script, timer } = means;
  let toConnect = script.connections.length;
  let open = script.connections.length;
  let worst: AttackEnding = { kind: 'accepted', status: 0 };
  let sentBytes = 0;
  const connected = (): void => {
    toConnect--;
    if (toConnect === 0) for (const connection of connections) connection.begin();
  };
  const connections = script.connections.map((steps) =>
    connect(steps, means, {
      connected,
      ended: (ending, bytes) => {
        if (rankOf(ending) >= rankOf(worst)) worst = ending;
        sentBytes += bytes;
        open--;
        if (open > 0) return;
        callOff();
        done(worst, sentBytes);
      },
    }),
  );
  const leave = (): void => {
    for (const connection of connections) connection.leave();
  };
  const callOff = timer(ATTACK_BOUNDS.longestMs, leave);
  return leave;
}

function rankOf({ kind }: AttackEnding): number {
  return ATTACK_ENDINGS.indexOf(kind);
}

type ConnectionPorts = {
  readonly connected: () => void;
  readonly ended: (ending: AttackEnding, sentBytes: number) => void;
};

type Connection = { readonly begin: () => void; readonly leave: () => void };

/** One connection of an attack, from dial to end. */
function connect(steps: readonly Move[], means: Means, ports: ConnectionPorts): Connection {
  const { script, dialer, timer } = means;
  const socket = means.dial();
  let isConnected = false;
  let isOver = false;
  let wake = (): void => {};
  const end = (ending: AttackEnding): void => {
    if (isOver) return;
    isOver = true;
    wake();
    answers.giveBack();
    const sentBytes = isConnected ? socket.bytesWritten : 0;
    socket.destroy();
    ports.ended(ending, sentBytes);
  };
  const answers = readAnswers(means, end);
  /** Resolves when data arrives, when the delay, if any, has passed, or when the connection has ended. */
  const awaken = (delayMs?: number): Promise<void> =>
    new Promise((resolve) => {
      const callOff = delayMs === undefined ? undefined : timer(delayMs, resolve);
      wake = () => {
        if (callOff !== undefined && !isOver) return;
        callOff?.();
        resolve();
      };
    });
  const wire: Wire = { socket, isOver: () => isOver, answers: answers.count, awaken };
  const reset = (): void => {
    // Node cannot reset a TLS connection, so it just closes it.
    if (dialer.readyEvent === 'connect') socket.resetAndDestroy();
    end({ kind: 'unanswered' });
  };
  socket.once(dialer.readyEvent, () => {
    if (dialer.distrust(socket) !== undefined) return end({ kind: 'failed' });
    isConnected = true;
    ports.connected();
  });
  if (!script.deaf)
    socket.on('data', (chunk: Buffer) => {
      answers.read(chunk);
      wake();
    });
  socket.on('error', () => {});
  socket.once('close', () => {
    if (!isOver) answers.closed();
    end({ kind: isConnected ? 'closed' : 'failed' });
  });
  return { begin: () => void performAll(steps, wire, reset), leave: () => end({ kind: 'unanswered' }) };
}

/** Reads the answers of a connection, of which the first that is no success ends it, or the last that it waits for. */
function readAnswers({ script, parsers }: Means, end: (ending: AttackEnding) => void) {
  let parser = parsers.take();
  let count = 0;
  let isOver = false;
  const answered = (status: number): void => {
    count++;
    if (status < 200 || status > 299) end({ kind: 'refused', status });
    else if (count === script.answers) end({ kind: 'accepted', status });
  };
  /** Consumes the bytes of one answer; returns those that follow it. */
  const readOne = (chunk: Buffer): Buffer => {
    const step = parse(parser, chunk);
    // A server may answer half a handshake with TLS.
    if (step === 'malformed' && !script.raw) end({ kind: 'failed' });
    if (typeof step === 'string') return NOTHING;
    const rest = chunk.subarray(parser.at);
    answered(step.head.status);
    if (isOver) return NOTHING;
    parsers.giveBack(parser);
    parser = parsers.take();
    return rest;
  };
  return {
    count: () => count,
    read: (chunk: Buffer): void => {
      for (let rest = chunk; rest.length > 0; ) rest = readOne(rest);
    },
    /** The end of the connection may be the end of an answer. */
    closed: (): void => {
      const answer = endOfAnswer(parser);
      if (answer !== undefined) answered(answer.head.status);
    },
    giveBack: (): void => {
      isOver = true;
      parsers.giveBack(parser);
    },
  };
}

async function performAll(steps: readonly Move[], wire: Wire, reset: () => void): Promise<void> {
  for (const step of steps) {
    if (wire.isOver()) return;
    if (step.kind === 'reset') reset();
    else if (step.kind === 'finish') wire.socket.end();
    else await perform(step, wire);
  }
}

type Wire = {
  readonly socket: Socket;
  readonly isOver: () => boolean;
  readonly answers: () => number;
  readonly awaken: (delayMs?: number) => Promise<void>;
};

function perform(step: Exclude<Move, { kind: 'reset' | 'finish' }>, wire: Wire): Promise<void> {
  switch (step.kind) {
    case 'send':
      return send(step.pieces, wire);
    case 'trickle':
      return trickle(step.bytes, wire);
    case 'repeat':
      return repeat(step.bytes, wire);
    case 'await':
      return comes(step.answers, wire);
  }
}

async function send(pieces: readonly Buffer[], { socket, isOver }: Wire): Promise<void> {
  for (const piece of pieces) {
    if (isOver()) return;
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  }
}

async function trickle(bytes: Buffer, { socket, isOver, awaken }: Wire): Promise<void> {
  for (const byte of bytes) {
    if (isOver()) return;
    socket.write(Buffer.of(byte));
    await awaken(EVERY_MS);
  }
}

async function repeat(bytes: Buffer, { socket, isOver, awaken }: Wire): Promise<void> {
  while (!isOver()) {
    // Waits for the previous write to flush; otherwise the queue would fill this process's memory.
    if (socket.writableLength === 0) socket.write(bytes);
    await awaken(EVERY_MS);
  }
}

async function comes(awaited: number | 'a beginning', { socket, isOver, answers, awaken }: Wire): Promise<void> {
  while (!isOver() && !(awaited === 'a beginning' ? socket.bytesRead > 0 : answers() >= awaited)) await awaken();
}
