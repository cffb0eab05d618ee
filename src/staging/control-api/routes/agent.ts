import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { addressText } from '../../../base/kernel/address.ts';
import { HOUR_MS, MINUTE_MS } from '../../../base/kernel/units.ts';
import type { WebServerStatus } from '../../../engine/agent-status.ts';
import { conditionOf } from '../../../engine/conditions.ts';
import type { AgentAction } from '../../../load/events/event.ts';
import { hostTimeMs } from '../../../load/host-clock.ts';
import type { LastOutcome } from '../../../metrics/recording/last-outcomes.ts';
import type { TracedMessage } from '../../../metrics/recording/trace.ts';
import { MAX_AGENTS } from '../../../scenario/hosts.ts';
import { displayUrl } from '../../../scenario/server-urls.ts';
import type { ControlledFleet } from '../../fleet/fleet.ts';
import { RequestProblem } from '../problem.ts';
import { agentSchema, type HostAnswer, hostSchema } from '../schemas.ts';
import { type ApiSources, failures, jsonOf, numberText, query } from './common.ts';

const params = z.object({ index: numberText(0, MAX_AGENTS) });

const agentRoute = createRoute({
  method: 'get',
  path: '/api/v1/agents/{index}',
  operationId: 'getAgent',
  summary: 'One agent; also starts tracing its requests and answers for a while',
  request: { query: query({}), params },
  responses: { 200: jsonOf(agentSchema, 'Everything known about the agent.'), ...failures(400, 404, 409) },
});

const documentRoute = createRoute({
  method: 'get',
  path: '/api/v1/agents/{index}/documents/{document}',
  operationId: 'getAgentDocument',
  summary: 'A document as the agent would send it now',
  request: { query: query({}), params: params.extend({ document: z.enum(['checkdata', 'packages']) }) },
  responses: {
    200: { content: { 'application/json': { schema: z.looseObject({}) } }, description: 'The document.' },
    ...failures(400, 404, 409),
  },
});

const hostRoute = createRoute({
  method: 'get',
  path: '/api/v1/agents/{index}/host',
  operationId: 'getAgentHost',
  summary: 'Figures of its host over the last hour, per minute',
  request: { query: query({}), params },
  responses: { 200: jsonOf(hostSchema, 'Oldest first.'), ...failures(400, 404, 409) },
});

export function addAgentRoutes(app: OpenAPIHono, sources: ApiSources): void {
  const { fleet } = sources;
  const localOf = (index: number): number => {
    const local = sources.summaries.localOf(index);
    if (local !== undefined) return local;
    const { agents } = fleet.scenario.fleet;
    throw new RequestProblem(
      'not_found',
      `Agent ${index}: expected an index from 0 to ${agents - 1} in this process, found none.`,
    );
  };
  app.openapi(agentRoute, async (context) => {
    const local = localOf(context.req.valid('param').index);
    const [details, present] = await Promise.all([fleet.agents.details(local), sources.summaries.present()]);
    const { summaries } = sources;
    const { uuid, code, version = null, busy, actions, history, last, seen, webServer } = details;
    const startMs = fleet.times()?.startedAt.getTime() ?? 0;
    const at = (atMs: number) => new Date(startMs + atMs).toISOString();
    return context.json(
      {
        ...summaries.summaryOf(local, { code, uuid, health: present.healthOf(local) }),
        version,
        busy,
        actions: actions.map(actionEntry),
        history: history.flatMap(({ code: then, atMs }) => {
          const condition = conditionOf(then);
          return condition === undefined ? [] : [{ at: at(atMs), state: condition.state, flags: [...condition.flags] }];
        }),
        last: lastAnswer(last, at),
        request: seen.request === undefined ? null : messageAnswer(seen.request, at),
        answer:
          seen.answer === undefined
            ? null
            : {
                ...messageAnswer(seen.answer, at),
                outcome: seen.answer.outcome ?? null,
                serviceMs: seen.answer.serviceMs,
                reason: seen.answer.reason,
              },
        webServer: webServer === undefined ? null : webServerAnswer(webServer, at),
      },
      200,
    );
  });
  app.openapi(documentRoute, async (context) => {
    const { index, document } = context.req.valid('param');
    const bytes = await fleet.agents.document(localOf(index), document);
    if (bytes.length === 0)
      throw new RequestProblem('conflict', `Agent ${index} has no document now: its host is down.`);
    return context.body(new Uint8Array(bytes), 200, { 'Content-Type': 'application/json' }) as never;
  });
  app.openapi(hostRoute, async (context) => {
    const local = localOf(context.req.valid('param').index);
    const nowMs = hostsNowMs(fleet);
    const rows = [];
    for (let atMs = nowMs - HOUR_MS; atMs <= nowMs; atMs += MINUTE_MS) {
      const bytes = await fleet.agents.document(local, 'checkdata', atMs);
      // A host that is down reports nothing.
      const figures = hostFigures(bytes.length === 0 ? {} : JSON.parse(Buffer.from(bytes).toString()));
      rows.push({ at: new Date(atMs).toISOString(), isUp: bytes.length > 0, ...figures });
    }
    return context.json({ rows }, 200);
  });
}

/** Current time of the hosts' clocks, in Unix ms. */
function hostsNowMs({ times, scenario }: ControlledFleet): number {
  const nowMs = Date.now();
  const startMs = times()?.startedAt.getTime() ?? nowMs;
  return hostTimeMs(scenario.hostClock, startMs, nowMs - startMs);
}

/** Hides keys. */
function actionEntry({ kind, ...rest }: AgentAction) {
  const shown = Object.entries(rest).map(([name, value]) => {
    if (name === 'apiKey') return [name, '***'];
    return [name, name === 'url' ? displayUrl(String(value)) : value];
  });
  return { do: kind, ...Object.fromEntries(shown) };
}

type ReportedMessage = Exclude<TracedMessage, { readonly kind: 'left_out' }>;

function messageAnswer({ atMs, operation, phase, head, body }: ReportedMessage, at: (atMs: number) => string) {
  return { at: at(atMs), operation, phase, head, body };
}

function lastAnswer(last: LastOutcome<string> | undefined, at: (atMs: number) => string) {
  if (last === undefined) return null;
  const { operation, outcome, endedMs, serviceMs } = last;
  return { operation, outcome, at: at(endedMs), serviceMs };
}

function webServerAnswer(server: WebServerStatus, at: (atMs: number) => string) {
  const { address, isListening, tls = null, autoTls, basicAuth, configPush, configured, last } = server;
  return {
    listen: address === undefined ? null : addressText(address),
    isListening,
    tls,
    autoTls,
    basicAuth,
    configPush,
    configured: configured === undefined ? null : { at: configured.atMs === undefined ? null : at(configured.atMs) },
    last: lastAnswer(last, at),
  };
}

/** Figures for charts from a host's check data. */
type HostFigures = Omit<HostAnswer['rows'][number], 'at' | 'isUp'>;

const percent = z.object({ percent: z.number() });
const disk = z.object({ disk: z.object({ mountpoint: z.string() }), usage: percent });
const traffic = z.object({ name: z.string(), avg_bytes_recv_ps: z.number(), avg_bytes_sent_ps: z.number() });

/** Omits checks that failed or are switched off. */
const checkdata = z.object({
  cpu: z.object({ cpu_total_percentage: z.number() }).optional().catch(undefined),
  memory: percent.optional().catch(undefined),
  swap: percent.optional().catch(undefined),
  system_load: z.object({ 0: z.number() }).optional().catch(undefined),
  processes: z.array(z.unknown()).optional().catch(undefined),
  net_io: z.record(z.string(), traffic).optional().catch(undefined),
  disks: z.array(disk).optional().catch(undefined),
});

const LOOPBACK = /^lo\d*$|^loopback/i;

/** @param document check data as an agent sends them. */
export function hostFigures(document: unknown): HostFigures {
  const { cpu, memory, swap, system_load, processes, net_io, disks = [] } = checkdata.parse(document);
  const interfaces = net_io && Object.values(net_io).filter(({ name }) => !LOOPBACK.test(name));
  const sum = (of: (one: z.output<typeof traffic>) => number) =>
    interfaces?.reduce((all, one) => all + of(one), 0) ?? null;
  return {
    cpuPercent: cpu?.cpu_total_percentage ?? null,
    memoryPercent: memory?.percent ?? null,
    swapPercent: swap?.percent ?? null,
    load1: system_load?.[0] ?? null,
    processes: processes?.length ?? null,
    receivedBytesPerSecond: sum(({ avg_bytes_recv_ps }) => avg_bytes_recv_ps),
    sentBytesPerSecond: sum(({ avg_bytes_sent_ps }) => avg_bytes_sent_ps),
    disks: disks.map(({ disk: { mountpoint }, usage }) => ({ mountpoint, percent: usage.percent })),
  };
}
