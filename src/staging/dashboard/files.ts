import { joinedScript, readPlotLibrary } from '../../report/page/scripts.ts';
import { PAGE_STYLE } from '../../report/page/style.ts';
import { dashboardPage } from './page.ts';
import { DASHBOARD_STYLE } from './style.ts';

export type PageFile = { readonly type: string; readonly body: string };

/** The page and its files, by path. They contain no secrets, because the page requests all data with a token. */
export function dashboardFiles(): ReadonlyMap<string, PageFile> {
  const { script, style } = readPlotLibrary();
  const modules = joinedScript(new URL('browser/main', import.meta.url));
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', body: dashboardPage() }],
    ['/dashboard.css', { type: 'text/css; charset=utf-8', body: `${style}${PAGE_STYLE}${DASHBOARD_STYLE}` }],
    // In its own scope, like a module.
    ['/dashboard.js', { type: 'text/javascript; charset=utf-8', body: `'use strict';\n{\n${modules}\n}\n` }],
    ['/uplot.js', { type: 'text/javascript; charset=utf-8', body: script }],
  ]);
}
