import type { Socket } from 'node:net';

/**
 * Sockets of an agent in addition to the one that carries its requests. As in Go's client, a dial continues after its
 * request is abandoned, and its connection serves a later request (docs/reference/wire.md, "Connections").
 */
export type OutlastingDials = { readonly dialing: Set<Socket>; idle: Socket | undefined };

/** The connection that owns them; most connections never have any. */
type Owner = {
  outlasting: OutlastingDials | undefined;
  readonly context: { readonly budget: DialBudget };
};

/** Limits the dials of all agents in addition to those that requests wait for. */
export type DialBudget = {
  spareDials: number;
  /** Whether dials outlast their requests. */
  readonly outlasts: boolean;
};

/** Keeps a dialing socket after its request. Returns false if the budget is used up. */
export function outlast(owner: Owner, socket: Socket): boolean {
  const { budget } = owner.context;
  if (!budget.outlasts || budget.spareDials <= 0) return false;
  budget.spareDials--;
  owner.outlasting ??= { dialing: new Set(), idle: undefined };
  owner.outlasting.dialing.add(socket);
  return true;
}

/** Replaces a dialing socket after a proxy has opened a tunnel. Returns false if no request needs it. */
export function swapDial({ outlasting }: Owner, dialed: Socket, through: Socket): boolean {
  if (outlasting?.dialing.delete(dialed) !== true) return false;
  outlasting.dialing.add(through);
  return true;
}

type Use = { readonly isTrusted: () => boolean; readonly isWanted: boolean; readonly isKept: boolean };

/**
 * Returns whether the waiting request takes over the ready socket. If no request waits, one socket is kept in addition
 * to the agent's connection, as Go's client keeps two; others are closed.
 */
export function servesRequest(owner: Owner, socket: Socket, { isTrusted, isWanted, isKept }: Use): boolean {
  const { outlasting } = owner;
  if (outlasting?.dialing.has(socket) !== true) return false;
  const isGood = isTrusted();
  forget(owner, socket);
  if (isGood && isWanted) return true;
  if (isGood && isKept && outlasting.idle === undefined) outlasting.idle = socket;
  // The end of its handshake may not be sent yet.
  else socket.destroySoon();
  return false;
}

/** Takes the idle socket, which becomes the agent's connection. */
export function takeIdle(owner: Owner): Socket | undefined {
  const idle = owner.outlasting?.idle;
  if (idle !== undefined) forget(owner, idle);
  return idle;
}

/** Closes a socket that failed, was ended by the peer, or received unexpected data. Returns true if it was still dialing. */
export function closeOutlasting(owner: Owner, socket: Socket): boolean {
  if (owner.outlasting === undefined) return false;
  const wasDialing = owner.outlasting.dialing.has(socket);
  forget(owner, socket);
  socket.destroy();
  return wasDialing;
}

export function closeAllOutlasting(owner: Owner): void {
  const { dialing = [], idle } = owner.outlasting ?? {};
  for (const socket of [...dialing, ...(idle === undefined ? [] : [idle])]) closeOutlasting(owner, socket);
}

function forget({ outlasting, context }: Owner, socket: Socket): void {
  if (outlasting?.idle === socket) outlasting.idle = undefined;
  else if (outlasting?.dialing.delete(socket) === true) context.budget.spareDials++;
}
