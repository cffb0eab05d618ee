import { html, type Markup, raw } from './markup.ts';

/** A whole HTML document that asks for nothing: style and scripts are in it. */
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
