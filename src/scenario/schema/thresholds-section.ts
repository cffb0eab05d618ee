import { z } from 'zod';
import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../protocol/operations.ts';
import { CONDITION_NOTATION, DELIVERY_NOTATION } from './condition-forms.ts';
import {
  CONDITION_FORM,
  DELIVERY,
  DELIVERY_FORM,
  type Misreading,
  parseCondition,
  parseDeliveryCondition,
} from './threshold.ts';

export const condition = read(CONDITION_FORM, parseCondition).meta(CONDITION_NOTATION);
export const deliveryCondition = read(DELIVERY_FORM, parseDeliveryCondition).meta(DELIVERY_NOTATION);

const conditions = listOf(condition).meta({ examples: [['p(99) < 250ms', 'error_rate < 0.1%']] });

/** Conditions by what they are about. */
export const thresholds = z
  .object(
    {
      [DELIVERY]: listOf(deliveryCondition)
        .optional()
        .meta({
          description:
            'Requests that went astray over the whole run; only the embedded server can tell. Left out: no condition.',
          examples: [['lost == 0', 'duplicated == 0']],
        }),
    },
    'operations, or delivery, with lists of conditions',
  )
  .catchall(conditions);

const ABOUT: Readonly<Record<MeasuredOperation, string>> = {
  register: 'Registrations.',
  authorize: 'Confirmations of a password.',
  checkdata: 'Check data that agents send.',
  packages: 'Package information that agents send.',
  'serve-checkdata': 'Requests that agents get for `/`, their check data. Needs `webServer`.',
  'serve-packages': 'Requests that agents get for `/packages`. Needs `webServer`.',
  'serve-prometheus': 'Requests that agents get for `/prometheus`. Needs `webServer`.',
  'serve-config': 'Requests that agents get for `/config`. Needs `webServer`.',
  'serve-autotls': 'Requests that agents get for `/autotls`. Needs `webServer`.',
  'serve-other': 'All other requests that agents get. Needs `webServer`.',
  exchange:
    'Exchanges of certificates, from first request to last answer. Needs `target.pull` and `webServer.autoTls`.',
  configure: 'Configurations that the embedded server pushes. Needs `target.pull.config`.',
  poll: 'Polls of the embedded server for check data. Needs `target.pull`.',
  'poll-packages': 'Polls of the embedded server for package information. Needs `target.pull`.',
};

// Blanks are let through where the reader lets them through.
const IN_A_PHASE = String.raw`^\s*(${MEASURED_OPERATIONS.join('|')})\s*(\{phase:\s*[A-Za-z][A-Za-z0-9_-]*\s*\})?\s*$`;

type Thresholds = {
  readonly properties?: Readonly<Record<string, object>>;
  readonly additionalProperties?: object | boolean;
};

/** The keys of thresholds in the JSON Schema: each operation by its name, so that editors offer them and mark others. */
export function offeringSubjects({ properties, additionalProperties: onAny }: Thresholds) {
  if (typeof onAny !== 'object') throw new Error('thresholds have conditions on operations');
  const on = (name: MeasuredOperation) => ({ description: `${ABOUT[name]} Left out: no condition.`, ...onAny });
  const inAPhase = { title: 'operation{phase:name}', description: 'An operation in one phase, excluded or not.' };
  return {
    properties: { ...Object.fromEntries(MEASURED_OPERATIONS.map((name) => [name, on(name)])), ...properties },
    patternProperties: { [IN_A_PHASE]: { ...inAPhase, ...onAny } },
    additionalProperties: false,
  };
}

function listOf<Read extends z.ZodType>(of: Read) {
  return z.array(of, 'a list of conditions').min(1, 'a list with at least one condition');
}

function read<Read extends object>(form: string, parse: (written: string) => Read | Misreading) {
  return z.string(form).transform((written, context) => {
    const result = parse(written);
    if (!('expected' in result)) return result;
    const { expected, found, candidates } = result;
    context.addIssue({ code: 'custom', message: expected, params: { found, candidates } });
    return z.NEVER;
  });
}
