import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Updates the schemas that validate manifests. For each version of Kubernetes, extracts the kinds of a manifest from the OpenAPI
 * document in the published Go module. Needs Go. `node scripts/kubernetes-schemas.ts v1.35.4 v1.36.3 v1.37.2`
 */

const MODULE = 'k8s.io/kubernetes';
const DOCUMENTS = ['api__v1', 'apis__apps__v1', 'apis__batch__v1', 'apis__networking.k8s.io__v1'];
const KINDS = [
  ...[
    'core.v1.ConfigMap',
    'core.v1.Service',
    'core.v1.PersistentVolumeClaim',
    'apps.v1.StatefulSet',
    'apps.v1.Deployment',
    'batch.v1.Job',
  ],
  'networking.v1.NetworkPolicy',
].map((name) => `io.k8s.api.${name}`);

const TARGET = resolve(import.meta.dirname, '../test/cluster/kubernetes/schemas');

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Schemas = Readonly<Record<string, Json>>;

const versions = process.argv.slice(2);
if (versions.length === 0) throw new Error('expected versions of Kubernetes such as v1.37.2, found none');

mkdirSync(TARGET, { recursive: true });
for (const version of versions) {
  const { Dir, Time } = downloaded(version);
  const published = Object.assign({}, ...DOCUMENTS.map((name) => schemasIn(Dir, name))) as Schemas;
  const lines = [...definitions(published)].map(
    ([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
  );
  const source = { module: `${MODULE}@${version}`, path: 'api/openapi-spec/v3', time: Time, license: 'Apache-2.0' };
  const file = join(TARGET, `${/^v\d+\.\d+/.exec(version)?.[0]}.json`);
  writeFileSync(file, `{ "source": ${JSON.stringify(source)}, "$defs": {\n${lines.join(',\n')}\n} }\n`);
  process.stdout.write(`${file}: ${lines.length} definitions\n`);
}

/** Folder of the downloaded module, and the time of its publication. */
function downloaded(version: string): { Dir: string; Time: string } {
  const elsewhere = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  try {
    const options = { cwd: elsewhere, encoding: 'utf8', env: { ...process.env, GOFLAGS: '-mod=mod' } } as const;
    const { Dir, Info } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', `${MODULE}@${version}`], options));
    return { Dir, Time: JSON.parse(readFileSync(Info, 'utf8')).Time };
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
}

function schemasIn(folder: string, name: string): Schemas {
  const path = join(folder, 'api/openapi-spec/v3', `${name}_openapi.json`);
  return JSON.parse(readFileSync(path, 'utf8')).components.schemas;
}

/** The kinds and all definitions that they refer to. */
function definitions(published: Schemas): Map<string, Json> {
  const wanted = [...KINDS];
  const found = new Map<string, Json>();
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (found.has(name)) continue;
    const schema = reduced(KINDS.includes(name) ? withoutStatus(published[name]) : (published[name] ?? null));
    found.set(name, schema);
    wanted.push(...[...JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, to = '']) => to));
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Manifests do not contain the status that servers report. */
function withoutStatus(schema: Json | undefined): Json {
  const { properties, ...rest } = schema as { readonly properties: { readonly [key: string]: Json } };
  const { status, ...written } = properties;
  return { ...rest, properties: written };
}

/** Removes descriptions, and forbids additional members, as the API server does. */
function reduced(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(reduced);
  if (schema === null || typeof schema !== 'object') return schema;
  const members = Object.entries(schema as { readonly [key: string]: Json })
    .filter(([key, value]) => key !== 'default' && !key.startsWith('x-') && !isDescription(key, value))
    .map(([key, value]): [string, Json] => [key, key === '$ref' ? definitionOf(String(value)) : reduced(value)]);
  return Object.fromEntries('properties' in schema ? [...members, ['additionalProperties', false]] : members);
}

// A member may also have this name. Its value is a schema, not a string.
function isDescription(key: string, value: Json): boolean {
  return key === 'description' && typeof value === 'string';
}

function definitionOf(reference: string): string {
  return reference.replace('#/components/schemas/', '#/$defs/');
}
