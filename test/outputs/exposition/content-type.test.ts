import { describe, expect, it } from 'vitest';
import { contentTypeFor } from '../../../src/outputs/exposition/families.ts';

const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,' +
  'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';

describe('the format of an exposition', () => {
  it.each([
    ['Prometheus 3', PROMETHEUS_3],
    ['Prometheus 2.30', 'application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'],
    ['a scraper that accepts only OpenMetrics', 'Application/OpenMetrics-Text'],
    ['a scraper that accepts both', 'text/plain, application/openmetrics-text'],
  ])('is OpenMetrics for %s', (_, accept) => {
    expect(contentTypeFor(accept)).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  });

  it.each([
    ['a client without an Accept header', undefined],
    ['curl', '*/*'],
    ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['Prometheus restricted to the text format', PROMETHEUS_3.replaceAll(/application\/openmetrics-text[^,]*,/g, '')],
    ['a scraper that prefers the text format', 'application/openmetrics-text;q=0.5,text/plain;q=0.6'],
    ['a scraper that refuses OpenMetrics', 'application/openmetrics-text;q=0'],
    ['an invalid Accept header', ';;q=,application/openmetrics-text;q=high'],
  ])('is the Prometheus text format for %s', (_, accept) => {
    expect(contentTypeFor(accept)).toBe('text/plain; version=0.0.4; charset=utf-8');
  });
});
