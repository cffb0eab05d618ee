import { writtenScenario } from '../schema/written-schema.ts';
import { NOTATIONS_HEADING } from './cells.ts';
import { linkTo } from './markdown.ts';
import { notationsText } from './notations.ts';
import { keysText, sectionText } from './section-text.ts';
import { headingOf, type Section, sectionsOf } from './sections.ts';
import { inLines } from './yaml-text.ts';

/** Every key of a scenario file on one page of Markdown, ending with a line break. Source: the schema of the files. */
export function scenarioReference(): string {
  const scenario = writtenScenario();
  const sections = sectionsOf(scenario);
  const top = keysText({ paths: [''], about: scenario, content: scenario }, sections);
  return [
    INTRODUCTION,
    contentsOf(sections),
    `## A scenario\n\n\`\`\`yaml\n${sampleScenario()}\`\`\`\n\n${top}`,
    ...sections.map((section) => sectionText(section, sections)),
    `## ${NOTATIONS_HEADING}\n\n${notationsText()}\n`,
  ].join('\n\n');
}

const INTRODUCTION = `# Scenario reference

<!-- Made from the schema. Change it there, and renew this page: npx muster schema reference > docs/scenario-reference.md -->

A scenario is one YAML file that says which server is loaded, by which agents, with what, and what must hold. This page has
every key that may stand in it. A key that is not here is a mistake, which \`muster validate\` names with its place.

Any value may be \`\${NAME}\` or \`\${NAME:-default}\`, from the environment; between \`{ }\` or \`[ ]\` it stands in quotes.
\`--set phases.steady.duration=3s\` replaces one without editing the file, and \`muster plan --effective\` shows all of them.
[Fleets that listen](listening-fleets.md) has more on \`webServer\` and \`target.pull\`, [the wire](protocol.md) on what is
sent and answered.`;

function contentsOf(sections: readonly Section[]): string {
  const entries = sections.map((section) => {
    const heading = headingOf(section);
    return `${heading.includes('.') ? '  ' : ''}- ${linkTo(heading, heading)}`;
  });
  return [
    `- ${linkTo('A scenario', 'A scenario')}`,
    ...entries,
    `- ${linkTo(NOTATIONS_HEADING, NOTATIONS_HEADING)}`,
  ].join('\n');
}

/** A whole file, from the examples of what a file has as a rule. */
function sampleScenario(): string {
  const { properties = {} } = writtenScenario();
  const example = (key: string) => ({ [key]: properties[key]?.examples?.[0] });
  return inLines({
    ...example('description'),
    fleet: { agents: 1000, payload: 'typical' },
    ...example('phases'),
    ...example('thresholds'),
  });
}
