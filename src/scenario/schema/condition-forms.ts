/**
 * How conditions are written, for the JSON Schema: the reader's grammar once more, so that editors mark what it would
 * refuse, with what each statistic is.
 */
const NUMBER = String.raw`\d+(\.\d+)?`;
const TIMES = String.raw`p\(\s*${NUMBER}\s*\)|avg|min|max`;

/** Conditions on an operation. */
export const CONDITION_NOTATION = {
  title: 'condition',
  description: 'A statistic, `<`, `<=`, `==`, `>=` or `>`, and a bound.',
  anyOf: [
    {
      ...form(TIMES, `(${NUMBER}(us|ms|s|m|h|d))+`),
      description: '`p(N)`, a percentile, `avg`, `min` or `max` of the response times, those of failures included.',
      examples: ['p(99) < 250ms', 'p(95) < 500ms', 'avg < 50ms', 'max < 2s'],
    },
    {
      ...form('error_rate|dropped_rate', `${NUMBER}%`),
      description:
        '`error_rate`: failures as a share of what was started; `dropped_rate`: what was never started as a share of what was planned.',
      examples: ['error_rate < 0.1%', 'error_rate == 0%', 'dropped_rate < 1%'],
    },
    {
      ...form('rate', `${NUMBER}/[smh]`),
      description: '`rate`: successes in a second, minute or hour.',
      examples: ['rate > 100/s'],
    },
    {
      ...form('planned|count|dropped', NUMBER),
      description: '`planned` operations, `count` of those that were started, and `dropped` ones that never were.',
      examples: ['planned >= 1000', 'count > 1000', 'dropped == 0'],
    },
  ],
};

/** Conditions on the delivery. */
export const DELIVERY_NOTATION = {
  title: 'delivery condition',
  description: 'A number of requests, `<`, `<=`, `==`, `>=` or `>`, and a bound.',
  anyOf: [
    {
      ...form('lost', NUMBER),
      description: '`lost`: acknowledged by the server, but never received.',
      examples: ['lost == 0'],
    },
    {
      ...form('duplicated', NUMBER),
      description: '`duplicated`: received more often than sent.',
      examples: ['duplicated == 0'],
    },
    {
      ...form('unknown', NUMBER),
      description: '`unknown`: sent, but never answered.',
      examples: ['unknown < 10'],
    },
  ],
};

function form(statistics: string, bound: string) {
  return { type: 'string', pattern: String.raw`^\s*(${statistics})\s*(<=|>=|==|<|>)\s*${bound}\s*$` };
}
