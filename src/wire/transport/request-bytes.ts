import type { TransportSink } from '../../ground/protocol/exchange.ts';
import type { Endpoint } from '../../ground/protocol/push.ts';
import type { Hop } from '../agent/redirects.ts';
import {
  compileGet,
  compileHead,
  forwarderTo,
  type Heads,
  headRoomBytes,
  type RequestHead,
  writeHeadBefore,
} from '../agent/request-head.ts';
import type { SendBuffers } from './send-buffers.ts';

/** The parts of an exchange needed to render its next request. */
type Requesting = {
  readonly agent: number;
  readonly endpoint: Endpoint;
  readonly hop: Hop | undefined;
  readonly connection: {
    readonly context: {
      readonly headsOf: (agent: number) => Heads;
      readonly buffers: SendBuffers;
      readonly sink: TransportSink;
    };
    buffer: Buffer | undefined;
  };
};

/** Renders the next request. With a body, the bytes are in a buffer that the connection then owns. */
export function renderRequest(exchange: Requesting): Buffer {
  const { agent, endpoint, hop, connection } = exchange;
  const heads = connection.context.headsOf(agent);
  if (hop === undefined) return renderPost(exchange, heads[endpoint], heads.roomBytes);
  const { apiKey, userAgent, proxy } = heads;
  const parts = { ...hop, apiKey, userAgent, forwarder: forwarderTo(hop.url, proxy) };
  if (hop.method === 'GET') return compileGet(parts);
  const head = compileHead(parts);
  return renderPost(exchange, head, headRoomBytes(head));
}

function renderPost({ agent, connection }: Requesting, head: RequestHead, roomBytes: number): Buffer {
  const { buffers, sink } = connection.context;
  const buffer = buffers.take(roomBytes + sink.bodyRoom(agent));
  connection.buffer = buffer;
  const end = sink.writeBody(agent, buffer, roomBytes);
  return buffer.subarray(writeHeadBefore(buffer, head, { start: roomBytes, end }), end);
}
