import { FOREIGN_WORDS, wordsOf } from '../../src/base/notation/foreign-words.ts';

/**
 * Words that people look for and that a page, or one of its sections, does not say or says only in passing. The search of the site finds
 * them as the best match. Keys are pages below `docs`, without `.md`, perhaps with the fragment of a section.
 */
const WRITTEN: Readonly<Record<string, string>> = {
  'how-to/own-server':
    'own server new first contact api key authorization token target url host not assigned 400 start',
  'how-to/own-server#clean-up': 'clean cleanup up delete remove agents leftovers',
  'how-to/provision-hosts': 'provision assign host create hosts import',
  'how-to/provision-hosts#clean-up': 'cleanup clean delete remove hosts agents',
  'tutorials/released-server': 'openitcockpit released production server tutorial',
  'how-to/own-server#a-released-server': 'released host not assigned assignment',
  'reference/exit-codes': 'exit code status return 99 104 105 107 111 112 113 114 115 116 117',
  'reference/exit-codes#outcomes':
    'outcome http error failure 400 401 403 404 405 408 413 429 500 502 503 504 refused reset timeout unauthorized forbidden',
  'reference/exit-codes#dropped-operations': 'dropped drop agent_busy',
  'how-to/troubleshooting': 'problem error help failed wrong',
  'how-to/troubleshooting#invalid-in-ci': 'invalid 111 flaky busy machine generator late retry',
  'how-to/troubleshooting#see-every-request': 'debug trace verbose log request',
  'how-to/install': 'install setup download npm tarball binary executable',
  'how-to/install#as-a-container': 'docker podman container image containerfile compose',
  'how-to/install#remove-muster': 'uninstall remove deinstall',
  'how-to/install#shell-completion': 'completion bash zsh fish tab',
  'how-to/install#verify-a-release': 'sbom signature attestation checksum verify release',
  'how-to/how-many-agents': 'many agents memory ram cpu size sizing machine requirements how large scale maximum',
  'how-to/several-machines': 'distributed cluster nats several machines scale out',
  'how-to/several-machines#on-kubernetes': 'kubernetes k8s kubectl pod manifest helm',
  'how-to/several-machines#without-nats': 'shard merge matrix',
  'how-to/several-machines#more-connections-from-one-machine':
    'ulimit nofile too many open files EMFILE descriptor ports EADDRNOTAVAIL ephemeral sysctl source address limit',
  'how-to/coming-from':
    'k6 gatling locust wrk jmeter artillery vegeta hey oha compare alternative migrate vus virtual users stages think time pacing tags setup teardown',
  'how-to/coming-from#what-muster-does-not-have':
    'websocket grpc browser soak spike smoke test stress apdex rendezvous feeder cookies headers air gapped airgapped offline cloud mqtt nagios checkmk',
  'how-to/read-a-report': 'report html read interpret charts graph dark mode print printed pdf phone',
  'how-to/find-capacity': 'capacity maximum limit breakpoint search highest load',
  'how-to/compare-runs': 'compare regression baseline difference versions slower history trend nightly',
  'how-to/export-metrics': 'prometheus opentelemetry otlp datadog influxdb export',
  'how-to/export-metrics#view-the-metrics-in-grafana': 'grafana dashboard panel',
  'how-to/export-metrics#post-verdicts-to-a-chat':
    'webhook slack mattermost teams chat notify notification alert alertmanager message pagerduty',
  'how-to/keep-a-fleet': 'staging permanent systemd service long running',
  'how-to/keep-a-fleet#back-up-move-and-upgrade': 'backup back up restore upgrade update move migrate',
  'how-to/control-a-fleet': 'control api ctl dashboard live rest',
  'how-to/record-hosts': 'record recording capture replay real hosts import anonymize privacy',
  'how-to/listening-fleet': 'pull mode poll web server listen 3333 autossl',
  'how-to/compressed-day': 'fast day night time clock factor compressed',
  'how-to/hostile-agents': 'attack hostile fuzz slowloris malformed security robustness',
  'tutorials/ci-gate':
    'ci github actions gitlab jenkins azure devops pipeline workflow gate build junit xml bitbucket teamcity circleci artifacts',
  'tutorials/replay-an-incident': 'access log nginx apache goreplay mirror production traffic trace',
  'tutorials/outage-rehearsal': 'outage recovery herd failover rehearsal',
  'tutorials/first-run': 'tutorial getting started quick start beginner',
  'tutorials/twenty-thousand-agents': 'large test 20000 steps',
  'explanation/measuring#open-and-closed-workload-models':
    'open closed load model rate ramp ramp-up up curve arrival concurrency constant stages',
  'explanation/measuring#clocks': 'p50 p95 p99 percentile latency response time service lag clock quantile',
  'explanation/measuring#coordinated-omission': 'coordinated omission',
  'explanation/measuring#random-arrivals': 'random arrivals jitter spread thundering',
  'explanation/safety': 'safety permission secrets passwords allow',
  'reference/results#histogramshlog-and-hgrm': 'histogram hdr hdrhistogram hlog hgrm plotter',
  'reference/results#a-summary-of-your-own': 'template mustache handleSummary custom summary',
  'reference/results': 'results json csv files folder output',
  'reference/scenario': 'scenario yaml keys schema configuration file env environment variables variable',
  'reference/scenario#target': 'timeout url apikey api key proxy target',
  'reference/scenario#targettls': 'tls https ssl verify',
  'reference/embedded-server#https-without-another-server': 'self-signed certificate',
  'reference/scenario#fleet': 'fleet seed agents profiles payload identities',
  'reference/scenario#thresholds': 'threshold sla slo pass fail criteria condition',
  'reference/agent-web-server': 'csr autotls mtls client certificate config push',
  'reference/agent-web-server#auto-tls': 'csr autotls signing request certificate exchange',
  'reference/documents#package-information': 'packages updates software inventory apt dnf',
  'reference/documents#check-data': 'check data cpu disk processes json format',
  'reference/wire#submit_checkdatajson': 'host not assigned received_checks 400',
  'reference/commands': 'command flag option cli help',
  'reference/metrics': 'metric metrics prometheus promql openmetrics scrape',
  'how-to/control-a-fleet#the-api': 'openapi swagger endpoints',
  'reference/platforms': 'windows macos arm64 platforms operating systems',
  'how-to/troubleshooting#remedies': 'csrf login page redirect dns remedy cause',
  'reference/events': 'events chaos clock skew',
  'reference/scenario#phases': 'warm warm-up phase phases exclude',
  'developers/wire#proxies': 'proxy http_proxy no_proxy socks socks5 CONNECT',
};

/** Words of other tools, unless they begin as the keyword of a page: what Muster has, or what it does not have. */
function foreignWords(isMissing: boolean): string {
  const own = Object.values(WRITTEN).join(' ').toLowerCase().split(' ');
  const rows = Object.values(FOREIGN_WORDS).flat();
  const words = rows.filter((row) => 'none' in row === isMissing).flatMap(wordsOf);
  const isOfAnother = (word: string) => own.some((one) => one.length > 3 && word.toLowerCase().startsWith(one));
  return [...new Set(words)].filter((word) => word.length > 2 && !isOfAnother(word)).join(' ');
}

const FROM = 'how-to/coming-from';
const MISSING = 'how-to/coming-from#what-muster-does-not-have';

export const KEYWORDS: Readonly<Record<string, string>> = {
  ...WRITTEN,
  [FROM]: `${WRITTEN[FROM]} ${foreignWords(false)}`,
  [MISSING]: `${WRITTEN[MISSING]} ${foreignWords(true)}`,
};

/** The field of the search index that has them; boosted above titles. */
export const KEYWORDS_BOOST = 20;
