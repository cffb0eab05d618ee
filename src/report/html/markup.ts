/** Text that is already HTML. */
export type Markup = { readonly markup: string };

type Part = string | number | Markup | readonly Markup[];

/** HTML of a template. Escapes all inserted text, but not markup. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: texts.reduce((all, text, index) => all + markupOf(parts[index - 1] ?? '') + text) };
}

export const NOTHING: Markup = { markup: '' };

/** Marks text as HTML without escaping it. */
export function raw(markup: string): Markup {
  return { markup };
}

export type HtmlCell = Markup | string;

/** More rows make a page slow. */
export const MAX_TABLE_ROWS = 1000;

/** A table with a caption for screen readers; the first cell of a row is its header. Of too many rows it has the first. */
export function table(caption: string, headings: readonly string[], all: readonly (readonly HtmlCell[])[]): Markup {
  const rows = all.slice(0, MAX_TABLE_ROWS);
  return html`<div class="scroll" role="region" aria-label="Table: ${caption}" tabindex="0"><table>
<caption class="unseen">${caption}</caption>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(([name = '', ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>
${leftOut(all.length, MAX_TABLE_ROWS, 'rows')}`;
}

/** Says that a page has only the first of too many. */
export function leftOut(all: number, most: number, what: string): Markup {
  if (all <= most) return NOTHING;
  return html`<p class="note">These are the first ${most} of ${all} ${what}; summary.json has all.</p>
`;
}

/** A formatted figure that carries its exact value. */
export function figure(value: number | undefined, text: (value: number) => string): Markup {
  return value === undefined ? html`–` : html`<data value="${value}">${text(value)}</data>`;
}

/** JSON for a script element, escaped so that it cannot end the element. */
export function embeddedJson(id: string, value: unknown): Markup {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  return raw(`<script type="application/json" id="${id}">${json}</script>\n`);
}

function markupOf(part: Part): string {
  if (Array.isArray(part)) return part.map(({ markup }: Markup) => markup).join('');
  return typeof part === 'object' ? (part as Markup).markup : escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Title and introduction at the top of a page. */
export function pageTop(title: string, introduction: Markup): Markup {
  return html`<header class="top">
<p class="brand">Muster</p>
<h1>${title}</h1>
${introduction}
</header>
`;
}

/** Names and values. */
export function factList(facts: readonly (readonly [string, HtmlCell])[]): Markup {
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A self-contained HTML document with its style and scripts. */
export function htmlDocument(title: string, style: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<title>${title} · Muster</title>
<link rel="icon" href="data:,">
${raw(`<style>${style}</style>`)}
</head>
<body>
${body}</body>
</html>
`.markup;
}

export function pageSection(id: string, title: string, content: Markup): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>
`;
}

/** Links to the sections of `main` from `pageSection`, and to the charts of each operation. */
export function contents(main: Markup, operations: readonly string[]): Markup {
  const sections = [...main.markup.matchAll(/<section aria-labelledby="([\w-]+)"><h2 id="[\w-]+">([^<]*)<\/h2>/g)];
  const under = html`: ${operations.map((operation) => html`<a href="#time-${operation}"><code>${operation}</code></a> `)}`;
  const links = sections.map(
    ([, id = '', title = '']) => html`<li><a href="#${id}">${raw(title)}</a>${id === 'time' ? under : NOTHING}</li>`,
  );
  return html`<nav class="contents" aria-label="Contents"><ul>${links}</ul></nav>\n`;
}

export function list(texts: readonly string[]): Markup {
  return texts.length === 0 ? NOTHING : html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>\n`;
}
