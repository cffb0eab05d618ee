import { TextDocument } from 'vscode-languageserver-textdocument';
import { getLanguageService } from 'yaml-language-server';
import { scenarioJsonSchema } from '../../../src/scenario/json-schema.ts';

// The service modifies the schema that it receives.
const OWN = structuredClone(scenarioJsonSchema());

/** The YAML language service that editors use for completion and validation. */
const service = getLanguageService({
  schemaRequestService: () => Promise.reject(new Error('the schema is handed in')),
  workspaceContext: { resolveRelativePath: (path) => path },
});
service.configure({
  ...{ completion: true, validate: true },
  schemas: [{ uri: 'file:///scenario.schema.json', fileMatch: ['*.yaml'], schema: OWN }],
});

/** Returns the completions at the ▮ in the text. */
export async function offeredIn(text: string): Promise<readonly string[]> {
  const document = opened(text.replace('▮', ''));
  const { items } = await service.doComplete(document, document.positionAt(text.indexOf('▮')), false);
  return items.map(({ label }) => String(label));
}

/** Returns the messages of all validation errors. */
export async function marksIn(text: string): Promise<readonly string[]> {
  return (await service.doValidation(opened(text), false)).map(({ message }) => String(message));
}

let files = 0;

function opened(text: string): TextDocument {
  files += 1;
  return TextDocument.create(`file:///${files}.yaml`, 'yaml', 1, text);
}
