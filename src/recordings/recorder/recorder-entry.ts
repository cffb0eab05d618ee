import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../base/kernel/errors.ts';
import { nodeHttp } from '../../base/runtime/builtins.ts';
import { faultText, MAX_DOCUMENT_BYTES } from '../reading.ts';
import { notesOf, openIntake } from './intake.ts';
import type { FromRecorder, RecorderTask, ToRecorder } from './recorder-thread.ts';

/*
 * The recording thread. It parses the requests of agents from the bytes that the proxy copies. A slow or failing recorder never
 * delays the proxy.
 */

const SAVED_EVERY_MS = 10_000;
/** Maximum share of the time for writing the index. */
const SAVING_SHARE = 0.05;
const DOCUMENTS = /\/agentconnector\/submit_(checkdata|package_info)\.json$/;

if (parentPort === null) throw new Error('recorder-entry.ts is the code of a thread');
const port = parentPort;
const { folder, intake, limits } = workerData as RecorderTask;
const recording = openIntake(folder, intake);
/** With the arrival of its last bytes, in Unix ms. */
type Connection = Duplex & { atMs: number };
const connections = new Map<number, Connection>();
const server = requestsServer();
let seen = recording.hosts.size;
let saving = setTimeout(save, SAVED_EVERY_MS);
let heldBytes = 0;

function send(message: FromRecorder): void {
  port.postMessage(message);
}

function save(): void {
  const startedMs = performance.now();
  try {
    recording.save();
  } catch (error) {
    send({ kind: 'unsaved', reason: messageOf(error) });
  }
  const tookMs = performance.now() - startedMs;
  saving = setTimeout(save, Math.max(SAVED_EVERY_MS, tookMs / SAVING_SHARE));
}

send({ kind: 'ready' });

function lose(reason: string): void {
  send({ kind: 'lost', reason });
}

/** Node's own parser, on connections without responses. */
function requestsServer(): Server {
  const made = nodeHttp.createServer((request, response) => receive(request, response));
  made.keepAliveTimeout = 0;
  made.headersTimeout = 0;
  made.requestTimeout = 0;
  made.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    // A connection that ends within a request was cut by its agent or, already reported, by a recorder that cannot keep up.
    if (code !== 'HPE_INVALID_EOF_STATE') lose('a connection that does not speak HTTP/1.1');
    socket.destroy();
  });
  return made;
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  const isDocument = request.method === 'POST' && DOCUMENTS.test(path);
  let parts: Buffer[] = [];
  let ownBytes = 0;
  let bytes = 0;
  let refusal: string | undefined;
  const release = (): void => {
    heldBytes -= ownBytes;
    ownBytes = 0;
    parts = [];
  };
  request.on('data', (part: Buffer) => {
    bytes += part.length;
    if (!isDocument || refusal !== undefined) return;
    if (bytes > MAX_DOCUMENT_BYTES) refusal = `a document larger than ${MAX_DOCUMENT_BYTES} bytes`;
    else if (heldBytes + part.length > limits.inFlightBytes)
      refusal = `more than ${limits.inFlightBytes} bytes of documents in flight`;
    if (refusal !== undefined) return release();
    ownBytes += part.length;
    heldBytes += part.length;
    parts.push(part);
  });
  request.on('error', () => {});
  request.once('close', () => {
    release();
    // Cut by its agent.
    if (isDocument && !request.complete) send({ kind: 'settled' });
  });
  request.once('end', () => {
    response.end();
    if (!isDocument) return;
    const body = Buffer.concat(parts);
    release();
    if (refusal !== undefined) return lose(refusal);
    try {
      take(body.toString('utf8'), request);
    } catch (error) {
      lose(messageOf(error));
    }
  });
}

function take(text: string, { headers, socket }: IncomingMessage): void {
  const secrets = [headers.authorization?.replace(/^X-OITC-API\s*/i, '') ?? ''].filter((secret) => secret.length > 3);
  const { atMs: arrivedMs } = socket as Duplex as Connection;
  const taken = recording.take({ text, source: () => 'unknown', arrivedMs, secrets });
  if (taken.kind === 'fault') lose(faultText(taken.fault));
  else if (taken.kind === 'slow') {
    lose(`${taken.document} of ${taken.host} took longer than ${intake.limitMs} ms to take in`);
  } else {
    send({ kind: 'settled' });
    for (const { topic, line } of notesOf(taken)) send({ kind: 'noted', topic, line: `${taken.host}: ${line}` });
    if (recording.hosts.size === seen) return;
    seen++;
    send({ kind: 'host', host: taken.host });
  }
}

function open(connection: number): void {
  const duplex = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const socket = Object.assign(duplex, { atMs: 0 });
  connections.set(connection, socket);
  socket.on('error', () => {});
  server.emit('connection', socket);
}

function close(connection: number): void {
  connections.get(connection)?.push(null);
  connections.delete(connection);
}

port.on('message', (message: ToRecorder) => {
  switch (message.kind) {
    case 'opened':
      return open(message.connection);
    case 'closed':
      return close(message.connection);
    case 'sent': {
      const socket = connections.get(message.connection);
      if (socket !== undefined) socket.atMs = message.atMs;
      if (socket?.destroyed === false) socket.push(Buffer.from(message.bytes.buffer as ArrayBuffer));
      // The parser reads in the next turn of the event loop. It keeps at most the longest body.
      return void setImmediate(() => send({ kind: 'done', bytes: message.bytes.byteLength }));
    }
    case 'finish': {
      clearTimeout(saving);
      return void setImmediate(() => {
        // Data without an index entry is lost to readers, so a failed index write fails the thread.
        recording.close();
        send({ kind: 'finished', summary: recording.summary() });
        port.close();
      });
    }
  }
});
