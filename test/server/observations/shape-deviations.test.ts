import { expect, it } from 'vitest';
import { readEnvelope } from '../../../src/server/json/envelope.ts';
import { createShapeFaults } from '../../../src/server/observations/shape-deviations.ts';

it('counts all documents with a fault whose text is cut within a character', () => {
  const name = `${'x'.repeat(199)}\u{1f600}`;
  const body = Buffer.from(`{"checkdata":{"${name}":{}}}`);
  const faults = createShapeFaults();
  for (let n = 0; n < 3; n++)
    faults.add({
      method: 'POST',
      target: '/agentconnector/submit_checkdata.json',
      endpoint: 'submit_checkdata',
      headers: {},
      body,
      envelope: readEnvelope(body),
    });
  expect(faults.list().every(({ documents }) => documents === 3)).toBe(true);
  expect(faults.list().some(({ fault }) => fault.includes('\ufffd'))).toBe(true);
});
