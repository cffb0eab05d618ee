import { COMMON_SCRIPTS, joinedScripts, readPlotLibrary } from '../../report/page/scripts.ts';
import { PAGE_STYLE } from '../../report/page/style.ts';
import { dashboardPage } from './page.ts';
import { DASHBOARD_STYLE } from './style.ts';

export type PageFile = { readonly type: string; readonly body: string };

/** Modules of the page, each after its imports. */
const MODULES = [
  ...['elements', 'instants', 'connection', 'marks', 'fleet-map', 'charts', 'points', 'event-log', 'actions'],
  ...['agent-view', 'main'],
];

/** The page and its files, by path. They contain no secrets, because the page requests all data with a token. */
export function dashboardFiles(): ReadonlyMap<string, PageFile> {
  const { script, style } = readPlotLibrary();
  const own = MODULES.map((name) => new URL(`browser/${name}.js`, import.meta.url));
  const modules = joinedScripts([...COMMON_SCRIPTS, ...own]);
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', body: dashboardPage() }],
    ['/dashboard.css', { type: 'text/css; charset=utf-8', body: `${style}${PAGE_STYLE}${DASHBOARD_STYLE}` }],
    // In its own scope, like a module.
    ['/dashboard.js', { type: 'text/javascript; charset=utf-8', body: `'use strict';\n{\n${modules}\n}\n` }],
    ['/uplot.js', { type: 'text/javascript; charset=utf-8', body: script }],
  ]);
}
