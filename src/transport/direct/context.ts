import type { Traffic, TransportSink } from '../../protocol/exchange.ts';
import type { AgentHeads } from '../agent-heads.ts';
import type { SendBuffers } from '../send-buffers.ts';
import type { AnswerReaders } from './answer-readers.ts';
import type { Connection, Exchange } from './state.ts';

/** What all exchanges of a transport share. */
export type DirectContext = {
  readonly baseUrl: string;
  readonly sink: TransportSink;
  readonly heads: AgentHeads;
  readonly buffers: SendBuffers;
  readonly readers: AnswerReaders;
  /** What a TLS socket is given at once at most. */
  readonly tlsPieceBytes: number;
  /** The agent's connection to where a redirect leads. */
  readonly connectionTo: (exchange: Exchange, url: URL) => Connection;
  /** The exchange has its ending, and its connection is free. */
  readonly over: (exchange: Exchange) => void;
};

export function trafficOf({ sentBytes, receivedBytes }: Exchange): Traffic {
  return { sentBytes, receivedBytes };
}
