import { z } from 'zod';
import { faultList } from '../../faults/schema.ts';
import { positiveDuration } from '../../notation/quantities.ts';
import { choice, filledText, flag, section, text } from '../../notation/section.ts';
import { DIALECT_NAMES } from '../../protocol/dialect-names.ts';
import { pull } from './pull.ts';

const URL_FORM = 'embedded, or the base URL of a push server such as https://host/prefix';

const SERVE = 'self-signed, or { cert: ./server.pem, key: ./server.key }';

const url = z.string(URL_FORM).superRefine((value, context) => {
  if (isTargetUrl(value)) return;
  context.addIssue({ code: 'custom', message: URL_FORM, params: { candidates: ['embedded', ...withScheme(value)] } });
});

/** The server under test. */
export const target = section({
  url: url.default('embedded').describe('`embedded`, or the base URL of a push server.'),
  apiKey: text.default('').describe('Sent with every request; best as `${MUSTER_API_KEY:-}`.'),
  allow: z
    .array(filledText, 'a list of host names')
    .default([])
    .describe('Hosts other than loopback that this scenario may load.'),
  timeout: positiveDuration.prefault('29s').describe('Time for one whole exchange.'),
  tls: section({
    verify: flag.default(true).describe("Whether the server's certificate must be valid."),
    ca: filledText.optional().describe('A PEM file with the authority to trust, relative to this file.'),
    serve: z
      .union([z.literal('self-signed'), section({ cert: filledText, key: filledText })], SERVE)
      .optional()
      .describe(
        'Lets the embedded server speak HTTPS: `self-signed` with a certificate made for the run, or `{ cert, key }`, two PEM files.',
      ),
  })
    .prefault({})
    .describe('How https targets are checked, and whether the embedded server is one.'),
  dialect: choice(DIALECT_NAMES)
    .default('documented')
    .describe('How the embedded server answers: as the written API says, or as the released server behaves.'),
  faults: faultList.default([]).describe('What the embedded server does wrong on purpose, and when.'),
  pull: pull
    .optional()
    .describe('Lets the embedded server exchange certificates with agents that listen, and poll them.'),
});

/** The URL that a host, its port and a path lack nothing of but `http://`; whatever else may be a secret. */
function withScheme(value: string): readonly string[] {
  return /^[\w.-]+(:\d+)?(\/[\w./-]*)?$/.test(value) ? [`http://${value}`] : [];
}

function isTargetUrl(value: string): boolean {
  if (value === 'embedded') return true;
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  return parsed !== undefined && ['http:', 'https:'].includes(parsed.protocol) && parsed.hash === '';
}
