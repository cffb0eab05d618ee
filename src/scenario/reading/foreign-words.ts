/** What other load generators' words are here; each ends `found "stages"; here that is …`. */
const WORDS: Readonly<Record<string, string>> = {
  // k6
  stages: 'phases, and in a phase a ramp such as rate: 10/s..200/s',
  vus: 'agents of the fleet, or concurrency in a load',
  maxVUs: 'concurrency in a load',
  preAllocatedVUs: 'agents of the fleet',
  startVUs: 'agents of the fleet',
  iterations: 'a rate in a load for the duration of its phase',
  executor: 'rate, concurrency or every in a load',
  scenarios: 'phases',
  options: 'target, fleet and phases at the top',
  rps: 'rate in a load, such as 200/s',
  timeUnit: 'the unit of a rate, such as 200/s',
  gracefulStop: 'timeout of the target',
  startTime: 'a phase before it',
  http_req_duration: 'p(95) of an operation, such as checkdata: ["p(95) < 500ms"]',
  http_req_failed: 'error_rate of an operation, such as checkdata: ["error_rate < 1%"]',
  http_reqs: 'count or rate of an operation, such as checkdata: ["rate > 100/s"]',
  // Gatling
  rampUsers: 'over in register, or a rate such as 10/s..200/s',
  rampUsersPerSec: 'a rate such as 10/s..200/s',
  constantUsersPerSec: 'rate in a load, such as 200/s',
  atOnceUsers: 'concurrency in a load',
  constantConcurrentUsers: 'concurrency in a load',
  rampConcurrentUsers: 'a phase for each concurrency',
  nothingFor: 'first in a load with every',
  during: 'duration of a phase',
  assertions: 'thresholds',
  baseUrl: 'url of the target',
  // Locust, Artillery, JMeter
  users: 'agents of the fleet, or concurrency in a load',
  spawnRate: 'rate in register',
  arrivalRate: 'rate in a load, such as 200/s',
  rampTo: 'a rate such as 10/s..200/s',
  host: 'url of the target',
  threads: 'agents of the fleet, or concurrency in a load',
  loops: 'a rate in a load for the duration of its phase',
};

/** What another load generator's word is in a scenario; undefined for a word of none. */
export function ourWordFor(word: string): string | undefined {
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}
