/** Where a word of another tool, or a word in the wrong place, stands: in a scenario, as a flag, as a command, or after `muster ctl`. */
export type WordPlace = 'scenario' | 'flag' | 'command' | 'ctl';

/** Words of other tools, and what to use instead, or why there is nothing and what helps. */
export type ForeignWord = { readonly words: string } & ({ readonly use: string } | { readonly none: string });

const IN_CLUSTER = 'muster join on each machine, and --cluster URL --machines N';
const SENT = 'agents send what real ones send; the key of the server is target.apiKey or --api-key';
const ENVIRONMENT = '${NAME} in the file with a variable of that name, --env-file, or --set path=value';
const PERCENTILES = 'summary.json has p50 to p99.9, and the histograms have all others';
const TAGS = 'cohorts, and conditions such as "checkdata{role:web}"';
const CONNECTIONS = 'agents keep their connection, as real ones do; fleet.connections shares some';

/**
 * Words of k6, Gatling, Locust, Artillery, JMeter, vegeta, oha and wrk, and keys in the wrong place. Messages, completion, the search of
 * the site and docs/how-to/coming-from.md show them.
 */
export const FOREIGN_WORDS: Readonly<Record<WordPlace, readonly ForeignWord[]>> = {
  scenario: [
    { words: 'stages incrementUsersPerSec startRate', use: 'phases, with a ramp such as rate: 10/s..200/s' },
    { words: 'vus maxVUs maxVusers throttle num_threads', use: 'fleet.agents, or concurrency in a load' },
    { words: 'preAllocatedVUs startVUs fixed_count', use: 'fleet.agents' },
    { words: 'users threads ThreadGroup', use: 'fleet.agents, or concurrency in a load' },
    { words: 'iterations loops arrivalCount', use: 'a rate in a load for the duration of its phase' },
    { words: 'executor injectOpen injectClosed', use: 'rate, concurrency or every in a load' },
    { words: 'scenarios setUp flow', use: 'phases' },
    { words: 'options config', use: 'target, fleet and phases at the top' },
    { words: 'rps reachRps', use: 'rate, in a load such as 200/s, in a condition such as "rate > 100/s"' },
    { words: 'constant-arrival-rate ramping-arrival-rate', use: 'rate in a load, such as 200/s or 100/s..2000/s' },
    { words: 'constant-vus ramping-vus shared-iterations per-vu-iterations', use: 'concurrency in a load' },
    { words: 'timeUnit', use: 'the unit of a rate, such as 200/s' },
    { words: 'gracefulStop gracefulRampDown', use: 'target.timeout' },
    { words: 'startTime', use: 'an earlier phase' },
    {
      words: 'http_req_duration http_req_waiting responseTime response_time',
      use: 'p(95) of an operation, such as checkdata: ["p(95) < 500ms"]',
    },
    {
      words: 'http_req_failed failedRequests fail_ratio ensure',
      use: 'error_rate of an operation, such as checkdata: ["error_rate < 1%"]',
    },
    {
      words: 'http_reqs requestsPerSec throughput',
      use: 'count or rate of an operation, such as checkdata: ["rate > 100/s"]',
    },
    { words: 'dropped_iterations', use: 'dropped_rate of an operation, such as checkdata: ["dropped_rate < 1%"]' },
    { words: 'abortOnFail', use: 'abort in a condition' },
    { words: 'delayAbortEval', use: 'after in a condition with abort' },
    { words: 'threshold', use: 'condition' },
    { words: 'med median', use: 'p(50)' },
    { words: 'mean average', use: 'avg' },
    { words: 'errors failures', use: 'error_rate' },
    { words: 'rampUsers rampUp ramp_time', use: 'over in register, or a rate such as 10/s..200/s' },
    { words: 'rampUsersPerSec rampTo', use: 'a rate such as 10/s..200/s' },
    { words: 'constantUsersPerSec arrivalRate constant_throughput', use: 'rate in a load, such as 200/s' },
    { words: 'atOnceUsers constantConcurrentUsers', use: 'concurrency in a load' },
    { words: 'rampConcurrentUsers', use: 'a phase for each concurrency' },
    { words: 'nothingFor', use: 'first in a load with every' },
    { words: 'during maxDuration run_time', use: 'duration of a phase' },
    { words: 'assertions checks expect', use: 'thresholds' },
    { words: 'baseUrl base_url host hosts', use: 'target.url' },
    { words: 'spawnRate spawn_rate', use: 'rate in register' },
    {
      words: 'thinkTime think interval pacing pace pause sleep wait_time constant_pacing between',
      use: 'every in a load',
    },
    { words: 'weight', use: 'weights in fleet.profiles' },
    { words: 'localIPs', use: 'fleet.sourceAddresses' },
    { words: 'handleSummary', use: 'muster report FOLDER --template FILE' },
    { words: 'warmUp warmup', use: 'a phase with exclude: true' },
    { words: 'env __ENV variables', use: ENVIRONMENT },
    // Keys of other sections
    { words: 'url', use: 'target.url' },
    { words: 'apiKey', use: 'target.apiKey' },
    { words: 'allow', use: 'target.allow' },
    { words: 'faults', use: 'target.faults' },
    { words: 'proxy', use: 'target.proxy' },
    { words: 'timeout setupTimeout', use: 'target.timeout' },
    { words: 'agents', use: 'fleet.agents' },
    { words: 'seed', use: 'fleet.seed' },
    { words: 'payload', use: 'fleet.payload' },
    { words: 'incidents', use: 'events' },
    { words: 'rate', use: 'rate in a load of a phase' },
    { words: 'duration', use: 'duration of a phase' },
    {
      words: 'insecureSkipTLSVerify rejectUnauthorized',
      none: 'agents trust each certificate unless target.tls.verify is true',
    },
    { words: 'tlsAuth', none: 'agents push without a client certificate' },
    { words: 'headers header cookies userAgent userAgentHeader body method', none: SENT },
    {
      words: 'noConnectionReuse noVUConnectionReuse shareConnections',
      none: CONNECTIONS,
    },
    {
      words: 'tags systemTags groups group',
      use: TAGS,
    },
    {
      words: 'feeder feed CSVDataSet',
      none: 'hosts and their data come from fleet.seed and fleet.profiles; muster record takes real ones',
    },
    {
      words: 'exec processor plugins tasks task_set',
      none: 'agents register, push and answer by themselves; events change what they do',
    },
    { words: 'rendezVous rendezvous', none: 'the event synchronize lets all agents push at the same time' },
    { words: 'summaryTrendStats summaryTimeUnit apdex', none: PERCENTILES },
    {
      words: 'discardResponseBodies maxRedirects batch dns blockHostnames',
      none: 'agents read answers, redirects and names as real ones do',
    },
    {
      words: 'http_req_blocked http_req_connecting http_req_tls_handshaking http_req_sending http_req_receiving',
      none: 'service covers dial, TLS and answer; lag covers the wait before',
    },
  ],
  flag: [
    { words: 'vus u users', use: '--agents' },
    {
      words: 'connections c max-connections',
      use: '--agents, each with one connection, or --set "fleet.connections={ shared: 64 }"',
    },
    { words: 'stage ramp', use: '--set on a load, such as --set phases.steady.checkdata.rate=10/s..200/s' },
    {
      words: 'rate rps R r spawn-rate arrival-rate',
      use: '--set on a load, such as --set phases.steady.checkdata.rate=200/s',
    },
    { words: 'iterations i n num count requests loops', use: 'a rate and --duration; agents have no last request' },
    { words: 'run-time z time max-duration', use: '--duration' },
    { words: 'env e environment variables overrides J G jmeterproperty D', use: ENVIRONMENT },
    { words: 'dotenv', use: '--env-file' },
    { words: 'output', use: '--out for the folder of results, or --json for the summary on stdout' },
    {
      words: 'summary-export csv csv-full-history html json-file l record reportatendofloadtests',
      use: '--out for the folder of results, with summary.json, timeline.csv and report.html, or --json',
    },
    {
      words: 'k insecure insecure-skip-tls-verify',
      none: 'agents trust each certificate unless target.tls.verify is true',
    },
    { words: 'host url base-url', use: '--target' },
    { words: 'H header headers A accept user-agent m method body T content-type cookie basic-auth', none: SENT },
    { words: 'proxy x proxyHost proxyPort P', use: '--set target.proxy=http://127.0.0.1:3128' },
    { words: 'timeout stop-timeout', use: '--set target.timeout=10s' },
    { words: 'cacert root-certs ca', use: '--set target.tls.ca=./ca.pem, with target.tls.verify=true' },
    { words: 'cert key', none: 'agents push without a client certificate' },
    { words: 'no-connection-reuse no-vu-connection-reuse disable-keepalive keepalive', none: CONNECTIONS },
    {
      words: 'http2 h2c http-version',
      none: 'agents speak HTTP/2 if target.tls.verify is true and the server offers it',
    },
    {
      words: 'tag tags name E exclude-tags',
      use: TAGS,
    },
    {
      words: 'f script locustfile testfile simulation targets lua config',
      use: 'the scenario file without a flag, such as muster run steady.yaml',
    },
    {
      words: 'payload p',
      none: 'hosts and their data come from fleet.seed and fleet.profiles; muster record takes real ones',
    },
    { words: 'verbose v http-debug log-output loglevel L', use: '--debug, which shows every request' },
    { words: 'no-color', use: 'the environment variable NO_COLOR=1' },
    { words: 'no-thresholds', use: '--set "thresholds={}"' },
    { words: 'headless nongui no-tui no-summary only-summary autostart', use: '--quiet' },
    { words: 'web-port web-host web-ui address dashboard', use: '--control' },
    { words: 'prometheus-addr prometheus', use: '--metrics-address' },
    { words: 'master worker master-host expect-workers runremote distributed', use: IN_CLUSTER },
    { words: 'processes threads cpus max-workers', use: '--workers' },
    { words: 'execution-segment', use: '--shard 2/3' },
    { words: 'local-ips laddr', use: '--set on fleet.sourceAddresses' },
    { words: 'linger', use: 'muster fleet, which keeps a fleet up' },
    { words: 'paused', use: '--start-at' },
    { words: 'dry-run', use: 'muster plan, which sends nothing' },
    {
      words: 'latency latency-correction print-stats summary-trend-stats',
      none: 'times always count from when requests were due',
    },
    {
      words: 'exit-code-on-error throw',
      none: 'thresholds decide the exit code, such as checkdata: ["error_rate == 0%"]',
    },
    { words: 'reset-stats', none: 'a phase with exclude: true is not counted' },
    {
      words: 'discard-response-bodies redirects max-redirects disable-compression batch resolvers',
      none: 'agents read answers, redirects and names as real ones do',
    },
  ],
  command: [
    { words: 'status', use: 'muster ctl fleet' },
    { words: 'stats top', use: 'muster ctl figures' },
    {
      words: 'stop pause down kill',
      use: 'Ctrl-C or SIGTERM to end a run or a fleet, or muster ctl do stop to stop its agents',
    },
    {
      words: 'resume continue',
      use: 'muster ctl end NAME for an event, or muster run --resume for a run on a cluster',
    },
    { words: 'scale', use: 'muster ctl scale' },
    { words: 'start up', use: 'muster fleet FILE, or muster run FILE' },
    { words: 'version', use: 'muster --version' },
    { words: 'open show dump plot', use: 'muster report FOLDER, and report.html in that folder' },
    { words: 'attack test bench quick load execute', use: 'muster run FILE, or muster run --target URL' },
    { words: 'new create', use: 'muster init' },
    { words: 'check lint', use: 'muster validate FILE' },
    { words: 'diff', use: 'muster compare BEFORE AFTER' },
    { words: 'list ls runs', use: 'muster history results' },
    { words: 'delete remove destroy uninstall', use: 'muster cleanup FILE for hosts and agents on the server' },
    { words: 'server mock', use: 'muster serve' },
    { words: 'worker agent slave', use: 'muster join URL' },
    { words: 'watch logs tail', use: 'muster ctl watch' },
    { words: 'dashboard web ui', use: 'muster fleet FILE, which prints the address of its dashboard' },
    { words: 'export', use: 'muster ctl export for hosts, or the folder of results for figures' },
    {
      words: 'archive encode convert cloud login run-fargate run-lambda',
      none: 'a scenario is one file, and runs on your own machines; muster manifest writes it for Kubernetes',
    },
    { words: 'update upgrade', none: 'install the new version as docs/how-to/install.md says' },
  ],
  ctl: [
    { words: 'status show info', use: 'muster ctl fleet' },
    { words: 'list ls', use: 'muster ctl agents' },
    {
      words: 'stop pause down',
      use: 'muster ctl do stop for its agents, or Ctrl-C, SIGTERM or systemctl stop for the fleet',
    },
    { words: 'start resume up', use: 'muster ctl end NAME for an event, or muster fleet FILE for a fleet' },
    { words: 'restart reboot disconnect upgrade', use: 'muster ctl do KIND' },
    { words: 'stats metrics top', use: 'muster ctl figures' },
    { words: 'logs tail', use: 'muster ctl watch' },
    { words: 'config', use: 'muster ctl scenario' },
    { words: 'cleanup', use: 'muster cleanup FILE' },
  ],
};

const MEANINGS: Readonly<Record<string, ReadonlyMap<string, ForeignWord>>> = Object.fromEntries(
  Object.entries(FOREIGN_WORDS).map(([place, rows]) => [
    place,
    new Map(rows.flatMap((row) => wordsOf(row).map((word) => [word, row] as const))),
  ]),
);

export function wordsOf({ words }: ForeignWord): readonly string[] {
  return words.split(' ');
}

/** `use fleet.agents`, or `Muster has none: …`; `undefined` for an unknown word. */
export function foreignWordText(place: WordPlace, word: string): string | undefined {
  const meaning = MEANINGS[place]?.get(word);
  if (meaning === undefined) return undefined;
  return 'use' in meaning ? `use ${meaning.use}` : `Muster has none: ${meaning.none}`;
}
