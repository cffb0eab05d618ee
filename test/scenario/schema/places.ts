import type { JsonSchema } from '../../../src/scenario/json-schema.ts';
import { scenarioInputSchema } from '../../../src/scenario/json-schema.ts';

/** A place for a value in a scenario file. */
export type Place = {
  /** For example, `target.faults[].status`; all alternatives of a union have the same path. */
  readonly path: string;
  readonly kind: 'key' | 'optional key' | 'chosen key' | 'item' | 'alternative';
  readonly schema: JsonSchema;
  /** Returns a part of a scenario with the value at this place and the required keys around it. */
  readonly holding: (value: unknown) => unknown;
};

/** Keys of thresholds and of curves, one for each of their patterns. */
const SUBJECTS = ['checkdata{phase:steady}', 'misbehave{how:gzip}', 'recovery{event:outage}', '6h'];

/** Every place of a scenario file. */
export const PLACES = placesOf(scenarioInputSchema());

export function placesOf(schema: JsonSchema): readonly Place[] {
  return below({ path: '', kind: 'key', schema, holding: (value) => value });
}

function below(place: Place): readonly Place[] {
  const children = [...keys(place), ...otherKeys(place), ...items(place), ...alternatives(place)];
  return children.flatMap((child) => [child, ...below(child)]);
}

function keys({ path, schema, holding }: Place): readonly Place[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([key, child]) => ({
    path: path === '' ? key : `${path}.${key}`,
    kind: required.includes(key) ? 'key' : 'optional key',
    schema: child,
    holding: (value) => holding({ ...(path !== '' && leastOf(schema)), ...besides(key, properties), [key]: value }),
  }));
}

function otherKeys({ path, schema, holding }: Place): readonly Place[] {
  const { additionalProperties: any, patternProperties = {}, propertyNames: names } = schema;
  const written = SUBJECTS.find((subject) => new RegExp(names?.pattern ?? '').test(subject));
  const chosen = String(names?.examples?.[0] ?? names?.enum?.[0] ?? names?.anyOf?.[0]?.enum?.[0] ?? written);
  const patterned = Object.entries(patternProperties).map(([pattern, child]) => ({
    key: SUBJECTS.find((subject) => new RegExp(pattern).test(subject)) ?? chosen,
    child,
  }));
  return [...patterned, ...(typeof any === 'object' ? [{ key: chosen, child: any }] : [])].map(({ key, child }) => ({
    path: `${path}.${key}`,
    kind: 'chosen key',
    schema: child,
    holding: (value) => holding({ [key]: value }),
  }));
}

function items({ path, schema, holding }: Place): readonly Place[] {
  if (schema.items === undefined) return [];
  return [{ path: `${path}[]`, kind: 'item', schema: schema.items, holding: (value) => holding([value]) }];
}

function alternatives({ path, schema, holding }: Place): readonly Place[] {
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((branch) => {
    const kind = branch.properties?.do?.const;
    return { path: kind === undefined ? path : `${path}(${kind})`, kind: 'alternative', schema: branch, holding };
  });
}

/** The keys that another key needs: an event that repeats must end. */
function besides(key: string, others: object): object {
  return key === 'repeat' && 'for' in others ? { for: '5s' } : {};
}

function leastOf({ properties = {}, required = [] }: JsonSchema): object {
  return Object.fromEntries(required.map((key) => [key, leastValueOf(properties[key] ?? {})]));
}

function leastValueOf({ const: only, enum: choices, examples }: JsonSchema): unknown {
  return only ?? choices?.[0] ?? examples?.[0];
}
