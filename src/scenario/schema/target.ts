import { z } from 'zod';
import { faultList } from '../../faults/schema.ts';
import { positiveDuration } from '../../notation/quantities.ts';
import { choice, filledText, flag, section, text } from '../../notation/section.ts';
import { DIALECT_NAMES } from '../../protocol/push.ts';
import { pull } from './pull.ts';

const URL_FORM = 'embedded, or the base URL of a push server such as https://host/prefix';

const SERVE = 'self-signed, or { cert: ./server.pem, key: ./server.key }';

const url = z.string(URL_FORM).superRefine((value, context) => {
  if (isTargetUrl(value)) return;
  context.addIssue({ code: 'custom', message: URL_FORM, params: { candidates: ['embedded', ...withScheme(value)] } });
});

const PEM = 'a PEM file, relative to this file';

const serve = z.union(
  [
    z.literal('self-signed').describe('A certificate made for the run, which its agents trust.'),
    section({
      cert: filledText.meta({ description: `The certificate with its chain, ${PEM}.`, examples: ['server.pem'] }),
      key: filledText.meta({ description: `Its private key, ${PEM}.`, examples: ['server-key.pem'] }),
    }).meta({
      description: 'A certificate of your own, which agents trust as it is or by its authority in `ca`.',
      examples: [{ cert: 'server.pem', key: 'server-key.pem' }],
    }),
  ],
  SERVE,
);

const tls = section({
  verify: flag.default(true).describe("Whether the server's certificate must be valid."),
  ca: filledText.optional().meta({
    description: `The authority to trust, ${PEM}. Left out: those that Node trusts, and the embedded server's own certificate.`,
    examples: ['ca.pem'],
  }),
  serve: serve.optional().meta({
    description: 'Lets the embedded server speak HTTPS. Left out: it speaks HTTP.',
    examples: ['self-signed'],
  }),
});

/** The server under test. */
export const target = section({
  url: url.default('embedded').meta({
    description: '`embedded`, a server inside Muster, or the base URL of another one, with a path if it has one.',
    examples: ['embedded', '${MUSTER_TARGET:-embedded}', 'https://mon.example'],
  }),
  apiKey: text.default('').meta({
    description: 'The key that agents show with every request. It belongs into the environment, not into a file.',
    examples: ['${MUSTER_API_KEY:-}'],
  }),
  allow: z
    .array(filledText.meta({ description: 'A name or an address.', examples: ['mon.example'] }), 'a list of host names')
    .default([])
    .meta({ description: 'Hosts other than loopback that this scenario may load.', examples: [['mon.example']] }),
  timeout: positiveDuration
    .prefault('29s')
    .meta({ description: 'Time for one request with its answer.', examples: ['10s', '29s'] }),
  tls: tls.prefault({}).meta({
    description: 'HTTPS, as agents check it and as the embedded server speaks it.',
    examples: [{ serve: 'self-signed' }],
  }),
  dialect: choice(DIALECT_NAMES)
    .default('documented')
    .describe('The embedded server answers as the written API says, or as the released server does.'),
  faults: faultList.prefault([]).meta({
    description: 'What the embedded server does wrong on purpose, and when; up to 100.',
    examples: [
      [
        { do: 'latency', delay: { median: '20ms', sigma: 0.5 } },
        {
          do: 'status',
          status: 503,
          body: 'html',
          share: '30%',
          operations: ['checkdata'],
          at: 'steady+5s',
          for: '5s',
        },
        { do: 'outage', at: '30s', for: '10s' },
      ],
    ],
  }),
  pull: pull.optional().meta({
    description:
      'Lets the embedded server exchange certificates with agents that listen, and ask them; needs `webServer`. Left out: it asks nothing.',
    examples: [{ every: '10s', packages: '30s', config: 'agent.ini', configAt: 'steady+5s' }],
  }),
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
