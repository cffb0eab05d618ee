import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Writable } from '../../base/kernel/records.ts';
import type { AddressCounts, ProtocolCounts } from '../../base/protocol/exchange.ts';
import { realTimer } from '../../base/runtime/event-loop.ts';
import type { DialOrder } from './dial-order.ts';
import type { DialBudget } from './outlasting-dials.ts';
import type { KnownAddresses, TargetAddresses } from './target-addresses.ts';

/** The destination of a dial's socket: an address, or the host with the dial's own lookup. */
export type DialGoal = { readonly host: string; readonly lookup?: LookupFunction };

export type DialPorts = {
  readonly host: string;
  readonly connect: (destination: DialGoal) => Socket;
  readonly ask: TargetAddresses['ask'];
  readonly orderOf: (known: KnownAddresses) => DialOrder;
  /** Counts per address; `undefined` if they are not counted. */
  readonly tallyOf: ((address: string) => Tally) | undefined;
  readonly budget: DialBudget;
  /** Called when a socket of the other family connects first and replaces the dial's current one. */
  readonly overtaken: (loser: Socket, winner: Socket) => void;
};

/**
 * A dial with the behavior of Go's. It tries the addresses of one family in turn, each until the system gives up. After
 * 300 ms it also tries those of the other family, if the budget allows. The first socket to connect wins.
 */
type Dial = ReturnType<typeof newDial>;

function newDial(ports: DialPorts) {
  return {
    ...ports,
    /** The socket whose result is the dial's, and the address it connects to. */
    socket: undefined as Socket | undefined,
    address: ports.host,
    rest: [] as readonly string[],
    /** Addresses of the other family; `fallbackSocket` is the current socket to one of them. */
    fallbacks: [] as readonly string[],
    fallbackSocket: undefined as Socket | undefined,
    holdsSpareDial: false,
    cancelFallbackTimer: () => {},
    /** Reported instead of later errors, which say less. */
    firstError: undefined as Error | undefined,
    isOver: false,
  };
}

/** Go's `net.Dialer.FallbackDelay`, for "Happy Eyeballs" (RFC 6555). */
const FALLBACK_DELAY_MS = 300;

const DIAL = Symbol('dial');
const ADDRESS = Symbol('address');
const FAILED = Symbol('failed');
type DialSocket = Socket & {
  [DIAL]: Dial;
  /** `undefined`: the address that the dial's lookup returned. */
  [ADDRESS]: string | undefined;
  /** Whether it was counted as failed. */
  [FAILED]?: boolean;
};

/** Returns the socket of a new dial. It ends like any socket, but `retryDial` may return a replacement. */
export function beginDial(ports: DialPorts): Socket {
  const dial = newDial(ports);
  if (isIP(dial.host) > 0) return makeCurrent(dial, open(dial, { host: dial.host }));
  const lookup: LookupFunction = (_name, { family }, callback) =>
    dial.ask((known) => {
      const possible = ofFamily(known, family);
      const { problem } = possible;
      if (problem === undefined) begin(dial, possible);
      callback(problem ?? null, dial.address, isIP(dial.address));
    });
  return makeCurrent(dial, open(dial, { host: dial.host, lookup }));
}

/** Returns the socket that replaces a failed one, or the reason why nothing is left to try; `isPortTaken`: only its port was taken. */
export function retryDial(socket: Socket, error: Error, isPortTaken: boolean): Socket | Error {
  const dial = (socket as DialSocket)[DIAL];
  if (isPortTaken) return makeCurrent(dial, open(dial, { host: dial.address }));
  countFailedDial(socket);
  if (dial.isOver) return error;
  dial.firstError ??= error;
  const [next, ...rest] = dial.rest;
  if (next !== undefined) {
    dial.rest = rest;
    dial.address = next;
    return makeCurrent(dial, open(dial, { host: next }));
  }
  if (dial.fallbackSocket === undefined) tryFallback(dial);
  const { fallbackSocket } = dial;
  if (fallbackSocket === undefined) return dial.firstError;
  dial.rest = dial.fallbacks;
  dial.fallbacks = [];
  dial.fallbackSocket = undefined;
  releaseSpareDial(dial);
  return makeCurrent(dial, fallbackSocket);
}

/** A source address reaches only addresses of its own family. */
function ofFamily(known: KnownAddresses, family: unknown): KnownAddresses {
  const addresses = known.addresses.filter(
    (address) => family === undefined || family === 0 || family === isIP(address),
  );
  if (known.problem !== undefined || addresses.length > 0) return { ...known, addresses };
  const problem = new Error(`resolve: none of ${known.addresses.join(', ')} is of the family of the source address`);
  return { ...known, addresses, problem: Object.assign(problem, { code: 'ENOTFOUND' as const }) };
}

function begin(dial: Dial, known: KnownAddresses): void {
  const { primaries, fallbacks } = dial.orderOf(known);
  const [first = '', ...rest] = primaries;
  dial.address = first;
  dial.rest = rest;
  dial.fallbacks = fallbacks;
  if (fallbacks.length > 0 && !dial.isOver)
    dial.cancelFallbackTimer = realTimer(FALLBACK_DELAY_MS, () => tryFallbackBeside(dial));
}

function open(dial: Dial, destination: DialGoal): DialSocket {
  const address = destination.lookup === undefined ? destination.host : undefined;
  const socket = Object.assign(dial.connect(destination), { [DIAL]: dial, [ADDRESS]: address });
  if (isIP(dial.host) > 0 && dial.tallyOf === undefined) return socket;
  socket.once('connect', onConnect);
  socket.once('close', onClose);
  return socket;
}

function makeCurrent(dial: Dial, socket: Socket): Socket {
  dial.socket = socket;
  return socket;
}

/** Opens a second, concurrent socket. If the budget is used up, the other family waits until the first one has failed. */
function tryFallbackBeside(dial: Dial): void {
  if (dial.budget.spareDials <= 0) return;
  dial.budget.spareDials--;
  dial.holdsSpareDial = true;
  tryFallback(dial);
}

function releaseSpareDial(dial: Dial): void {
  if (dial.holdsSpareDial) dial.budget.spareDials++;
  dial.holdsSpareDial = false;
}

function tryFallback(dial: Dial): void {
  dial.cancelFallbackTimer();
  const [address, ...fallbacks] = dial.fallbacks;
  dial.fallbacks = fallbacks;
  dial.fallbackSocket = address === undefined ? undefined : open(dial, { host: address });
  if (dial.fallbackSocket === undefined) releaseSpareDial(dial);
  dial.fallbackSocket?.on('error', onFallbackError);
}

function onFallbackError(this: DialSocket): void {
  if (this[DIAL].fallbackSocket !== this) return;
  countFailedDial(this);
  tryFallback(this[DIAL]);
}

function onConnect(this: DialSocket): void {
  const dial = this[DIAL];
  const { socket, fallbackSocket } = dial;
  const tally = tallyOf(this);
  if (tally !== undefined) tally.connections++;
  end(dial);
  if (fallbackSocket !== this) fallbackSocket?.destroy();
  else if (socket !== undefined) dial.overtaken(socket, this);
}

/** Ends the dial if the caller gave it up. After an error, a replacement is already in place, so this does nothing. */
function onClose(this: DialSocket): void {
  const dial = this[DIAL];
  if (dial.socket !== this || dial.isOver) return;
  dial.fallbackSocket?.destroy();
  end(dial);
}

function end(dial: Dial): void {
  dial.isOver = true;
  dial.fallbackSocket = undefined;
  releaseSpareDial(dial);
  dial.cancelFallbackTimer();
}

// ---- Counts by address ----

export type Tally = Writable<Omit<AddressCounts, 'protocols'>> & {
  readonly protocols: Writable<ProtocolCounts> | undefined;
};

/** Counts for the address of the socket; `undefined` if it is not counted, has no address yet, or leads through a proxy. */
export function tallyOf(socket: Socket): Tally | undefined {
  const { [DIAL]: dial, [ADDRESS]: address = dial?.address ?? '' } = socket as Partial<DialSocket>;
  return isIP(address) === 0 ? undefined : dial?.tallyOf?.(address);
}

/** Counts a socket as failed, or as abandoned by its request, at most once. */
export function countFailedDial(socket: Socket): void {
  const tally = tallyOf(socket);
  if (tally === undefined || (socket as DialSocket)[FAILED] === true) return;
  (socket as DialSocket)[FAILED] = true;
  tally.failedDials++;
}
