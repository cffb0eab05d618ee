import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { filledTemplate } from '../../src/report/template.ts';
import { badSummary, goodSummary } from './summaries.ts';

const BAD = badSummary();

describe('a template', () => {
  it('has the figures of summary.json and the words of the summary', () => {
    const template = `{{texts.title}}: {{texts.verdict}} in {{texts.took}} (seed {{seed}})
{{#texts.operations}}
{{operation}} {{planned}} planned, {{ok}} ok, {{okPerSecond}}/s, p99 {{p99}}
{{/texts.operations}}
{{#texts.thresholds}}
{{#holds}}+{{/holds}}{{^holds}}-{{/holds}} {{subject}} {{condition}}: {{observed}}
{{/texts.thresholds}}
{{#overall}}{{operation}}={{latencyMs.response.count}}{{/overall}}
`;
    expect(filledTemplate(template, BAD, false)).toEqual({
      text: `steady: THRESHOLD CROSSED in 7s (seed 1)
checkdata 13,500 planned, 6,000 ok, 1,500/s, p99 29.2 s
- checkdata p(99) < 250ms: 29180ms
- checkdata error_rate < 0.1%: 50%
- register{phase:enroll} p(95) < 500ms: no data
- delivery lost == 0: 3
checkdata=12000
`,
      unknown: [],
    });
  });

  it('escapes what markup needs only in markup', () => {
    const template = '{{#texts.thresholds}}{{condition}};{{/texts.thresholds}}';
    expect(filledTemplate(template, goodSummary(), true).text).toBe(
      'p(99) &lt; 250ms;error_rate &lt; 0.1%;lost &#x3D;&#x3D; 0;',
    );
    expect(filledTemplate(template, goodSummary(), false).text).toBe('p(99) < 250ms;error_rate < 0.1%;lost == 0;');
  });

  it('reports the names that the summary does not have, also inside of a section', () => {
    const { text, unknown } = filledTemplate('{{sead}}{{#texts.operations}}{{p98}}{{/texts.operations}}', BAD, false);
    expect([text, unknown]).toEqual(['', ['sead', 'p98']]);
  });

  it.each(['{{#texts.operations}}', '{{', '{{/a}}'])('that is none, such as %s, is a mistake', (template) => {
    expect(() => filledTemplate(template, BAD, false)).toThrow(UserError);
    expect(() => filledTemplate(template, BAD, false)).toThrow(
      /--template: expected a Mustache template, found an error: /,
    );
  });
});
