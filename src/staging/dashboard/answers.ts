// Answers of the control API, as far as the page reads them. The script in the browser reads this file, so it imports nothing.
// A test compares it with the schemas of the API.

export type FleetAnswer = {
  readonly name: string;
  readonly version: string;
  readonly seed: number;
  readonly target: string;
  readonly raisedAt: string | null;
  readonly startedAt: string | null;
  readonly phase: { readonly name: string } | null;
  readonly phases: readonly {
    readonly name: string;
    readonly fromSeconds: number;
    readonly toSeconds: number | null;
  }[];
  readonly agents: { readonly total: number; readonly inFlight: number };
};

/** Layout of a code: bits that index `states`, and one bit per flag. */
export type Legend = {
  readonly states: readonly string[];
  readonly stateBits: number;
  readonly flags: Readonly<Record<string, number>>;
};

export type StatesAnswer = {
  /** Index of the first agent of this process, and the distance to the next. */
  readonly first: number;
  readonly step: number;
  /** One byte per agent, in base64. */
  readonly codes: string;
  readonly legend: Legend;
};

export type AgentSummaryAnswer = {
  readonly index: number;
  readonly host: string;
  readonly uuid: string;
  /** Absent if the fleet has no groups. */
  readonly group?: string | undefined;
  readonly profile: string;
  readonly role: string;
  readonly address: string;
  readonly listen: string | null;
  readonly state: string;
  readonly flags: readonly string[];
};

export type CohortAnswer = {
  readonly cohort: string;
  readonly count: number;
  readonly agents: readonly AgentSummaryAnswer[];
};

export type EventAnswer = {
  readonly name: string;
  readonly do: string;
  readonly cohort: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly status: 'to-come' | 'under-way' | 'over';
};

export type DoneAnswer = { readonly event: EventAnswer; readonly hits: CohortAnswer & { readonly isFinal: boolean } };

/** Figures of a second, a minute or an hour. */
export type FiguresAnswer = {
  readonly at: string;
  readonly seconds: number;
  readonly operations: readonly OperationFigures[];
  readonly agents: Readonly<Record<string, number>>;
  readonly listening: number;
  readonly down: number;
  readonly generator: { readonly busiestLoopUtilization: number; readonly delayP99Ms?: number | undefined };
};

export type OperationFigures = {
  readonly operation: string;
  readonly planned: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly responseMs?: { readonly p50: number; readonly p99: number; readonly max: number } | undefined;
};

/** Changed states: `agents`, and the code of each at the same index. `missed` counts changes beyond the maximum to report. */
export type StatesChanged = {
  readonly agents: readonly number[];
  readonly codes: readonly number[];
  readonly missed: number;
};

type Message = {
  readonly at: string;
  readonly operation: string;
  readonly head?: string | undefined;
  readonly body?: string | undefined;
};

export type LastOperation = {
  readonly operation: string;
  readonly outcome: string;
  readonly at: string;
  readonly serviceMs: number;
};

export type AgentAnswer = AgentSummaryAnswer & {
  /** `null` for the fleet's version. */
  readonly version: string | null;
  readonly actions: readonly { readonly do: string }[];
  /** Newest last. */
  readonly history: readonly { readonly at: string; readonly state: string; readonly flags: readonly string[] }[];
  readonly last: LastOperation | null;
  readonly request: Message | null;
  readonly answer:
    | (Message & { readonly outcome: string | null; readonly serviceMs: number; readonly reason?: string | undefined })
    | null;
  readonly webServer: {
    readonly listen: string | null;
    readonly isListening: boolean;
    readonly tls: 'none' | 'server' | 'mutual' | null;
    readonly configured: { readonly at: string | null } | null;
    readonly last: LastOperation | null;
    readonly autoTls: boolean;
    readonly basicAuth: boolean;
    readonly configPush: boolean;
  } | null;
};

export type HostAnswer = { readonly rows: readonly HostRow[] };

export type HostRow = {
  readonly at: string;
  readonly cpuPercent: number | null;
  readonly memoryPercent: number | null;
  readonly swapPercent: number | null;
  readonly load1: number | null;
  readonly receivedBytesPerSecond: number | null;
  readonly sentBytesPerSecond: number | null;
};
