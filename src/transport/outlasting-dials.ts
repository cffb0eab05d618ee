import type { Socket } from 'node:net';

/**
 * A dial continues after its request was given up, as with Go's client, and its connection serves a later request
 * (docs/reference/wire.md, "Connections"). Keeps these sockets of an agent in addition to the one that carries its requests.
 */
export type OutlastingDials = { readonly dialling: Set<Socket>; idle: Socket | undefined };

/** Whose they are; most agents never have any. */
type Owner = {
  outlasting: OutlastingDials | undefined;
  readonly context: { readonly room: DialRoom };
};

/** How many sockets of all agents may still dial beside the one that the request waits for. */
export type DialRoom = {
  spareDials: number;
  /** Whether dials outlast their requests. */
  readonly outlasts: boolean;
};

/** False: there is no room for more. */
export function outlast(owner: Owner, socket: Socket): boolean {
  const { room } = owner.context;
  if (!room.outlasts || room.spareDials <= 0) return false;
  room.spareDials--;
  owner.outlasting ??= { dialling: new Set(), idle: undefined };
  owner.outlasting.dialling.add(socket);
  return true;
}

/** Another socket takes the place of one that was dialling: a proxy has opened the way. False: no request needs it. */
export function goesOn({ outlasting }: Owner, dialed: Socket, through: Socket): boolean {
  if (outlasting?.dialling.delete(dialed) !== true) return false;
  outlasting.dialling.add(through);
  return true;
}

/** What such a dial may be good for once it is ready. */
type Use = { readonly isTrusted: () => boolean; readonly isWanted: boolean; readonly isKept: boolean };

/**
 * Whether the socket is ready for the request that waits; it belongs to that from now on. Where none waits, one is kept beside
 * the agent's connection, as Go's client keeps two, and further ones are closed.
 */
export function servesRequest(owner: Owner, socket: Socket, { isTrusted, isWanted, isKept }: Use): boolean {
  const { outlasting } = owner;
  if (outlasting?.dialling.has(socket) !== true) return false;
  const isGood = isTrusted();
  forget(owner, socket);
  if (isGood && isWanted) return true;
  if (isGood && isKept && outlasting.idle === undefined) outlasting.idle = socket;
  // What ends its handshake may not have left yet.
  else socket.destroySoon();
  return false;
}

/** The socket that is ready beside the agent's connection, which is its connection from now on. */
export function takeIdle(owner: Owner): Socket | undefined {
  const idle = owner.outlasting?.idle;
  if (idle !== undefined) forget(owner, idle);
  return idle;
}

/** It has failed, was ended by the peer, or was sent what answers nothing. True: it was still dialling. */
export function closeOutlasting(owner: Owner, socket: Socket): boolean {
  if (owner.outlasting === undefined) return false;
  const wasDialling = owner.outlasting.dialling.has(socket);
  forget(owner, socket);
  socket.destroy();
  return wasDialling;
}

export function closeAllOutlasting(owner: Owner): void {
  const { dialling = [], idle } = owner.outlasting ?? {};
  for (const socket of [...dialling, ...(idle === undefined ? [] : [idle])]) closeOutlasting(owner, socket);
}

function forget({ outlasting, context }: Owner, socket: Socket): void {
  if (outlasting?.idle === socket) outlasting.idle = undefined;
  else if (outlasting?.dialling.delete(socket) === true) context.room.spareDials++;
}
