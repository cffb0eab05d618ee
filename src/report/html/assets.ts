import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { joinedScript, readPlotLibrary } from '../page/scripts.ts';
import { PAGE_STYLE } from '../page/style.ts';
import { type Term, termsOf } from './glossary.ts';

/** Parts of a page that come from files, as text to embed. */
export type Assets = {
  readonly plotScript: string;
  readonly style: string;
  readonly pageScript: string;
  readonly terms: readonly Term[];
};

/** Reads the parts of a page other than its text. */
export function readAssets(): Assets {
  const { script, style } = readPlotLibrary();
  return {
    plotScript: script,
    style: style + STYLE,
    // A checkout, the package and the image contain both pages.
    terms: termsOf(readPage('glossary.md'), readPage('reference/exit-codes.md')),
    pageScript: joinedScript(new URL('browser/page', import.meta.url)),
  };
}

function readPage(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8');
}

/** Style of reports in addition to that of all pages. */
const REPORT_STYLE = `
.contents ul{max-width:1180px;margin:0 auto;padding:0 20px;display:flex;flex-wrap:wrap;gap:2px 18px;list-style:none;font-size:14px}
.contents li{padding:3px 0}
.contents a,td a{color:var(--accent)}
.term{color:inherit;text-decoration:underline dotted;text-underline-offset:3px;cursor:help}
.tip{position:fixed;z-index:20;max-width:min(340px,calc(100vw - 16px));padding:8px 12px;background:var(--ink);color:var(--card);border-radius:6px;font-size:14px;font-weight:400;pointer-events:none}
.tip[hidden]{display:none}
.words{columns:2 320px;font-size:14px}.words div{break-inside:avoid;margin-bottom:8px}.words dt{font-weight:600}.words dd{margin:0}
.question{margin:6px 0 0;font-size:18px;color:var(--faint)}
.verdict{border-left:6px solid currentColor}
.verdict h2{font-size:24px;margin:0}
.verdict p,.verdict ul{margin:8px 0 0}.verdict .facts{margin:10px 0 0}.verdict dd{font-size:20px;font-weight:600;color:var(--ink)}.verdict a{color:var(--accent)}.verdict .pair{margin:0 12px 0 0}
.verdict.good{background:var(--good-back)}.verdict.caution{background:var(--caution-back)}.verdict.bad{background:var(--bad-back)}.verdict.neutral{color:var(--ink)}
.verdict p,.verdict li{color:var(--ink)}
#thresholds~.scroll td,#thresholds~.scroll th,#outcomes~.scroll :is(td,th):nth-child(2){text-align:left}
.charts+.scroll{margin-top:20px}
.chart:has(.curve):last-child:nth-child(odd){grid-column:auto}
.bar{display:inline-block;min-width:140px;padding-left:6px;background:linear-gradient(to right,color-mix(in srgb,currentColor 22%,transparent) calc(var(--share)*100%),transparent 0)}
.bar data{color:var(--ink)}
.plain{color:var(--ink)}
.pair{display:inline-block;margin-left:14px}
.drift{position:relative;display:inline-block;width:120px;height:12px;vertical-align:middle;background:linear-gradient(to right,transparent 37.5%,var(--rule) 0 62.5%,transparent 0),linear-gradient(var(--grid),var(--grid)) center/100% 2px no-repeat}
.drift::after{content:'';position:absolute;top:-1px;left:calc(50% + var(--place)*50% - 4px);width:8px;height:14px;background:currentColor;border-radius:2px}
#compared~.scroll,#runs~.scroll{max-height:none}
#steps~.scroll,#figures~.scroll{max-height:none}
#compared~.scroll :is(td,th):nth-child(-n+3),#runs~.scroll :is(td,th){text-align:left}
.zoom{position:sticky;top:0;z-index:10;display:flex;flex-wrap:wrap;align-items:center;gap:6px;padding:8px 10px;background:var(--card);border:1px solid var(--rule);border-radius:10px}
.zoom[hidden]{display:none}
.zoom output{margin:0 10px;font-variant-numeric:tabular-nums}
.zoom label{margin-left:auto;color:var(--faint);font-size:14px}
.shades{margin-left:auto;color:var(--faint);font-weight:400;font-size:13px}
.unanswered{margin-left:auto;color:var(--red);font-weight:400;font-size:13px}.unanswered+.shades{margin-left:12px}
.shades i{display:inline-block;width:14px;height:10px}
.curve{display:block;width:100%;height:auto;font-size:12px}
.curve text{fill:var(--faint)}.curve line{stroke:var(--grid)}.curve .limit{stroke:var(--red);stroke-width:1.5;stroke-dasharray:2 4}.curve polyline{fill:none;stroke:var(--rule);stroke-width:1.5}
#thresholds~.scroll td:nth-child(3){white-space:normal;min-width:16em}
#steps~.scroll :is(td,th):last-child{text-align:left;white-space:normal;min-width:22em}
#generator~.scroll :is(td,th):nth-child(2){text-align:left}
.behind{margin-top:4px}
.behind .scroll{max-height:300px}
.plot .u-series:first-child .u-marker,.heat .u-marker{display:none}
@media (max-width:600px){#thresholds~.scroll table{table-layout:fixed;width:100%}#thresholds~.scroll :is(td,th){white-space:normal;padding:6px 4px;overflow-wrap:anywhere}#thresholds~.scroll th:first-child{width:37%}#thresholds~.scroll th:nth-child(2){width:28%}.top,main,.contents ul{padding-left:12px;padding-right:12px}.contents ul{flex-wrap:nowrap;overflow-x:auto;white-space:nowrap}.contents a{display:inline-block;padding:4px 0}.top{padding-top:12px}.question{font-size:15px}main section:first-child{margin-top:8px}.verdict{line-height:1.4}.verdict h2{font-size:21px}.verdict ul{padding-left:18px}.verdict .facts{gap:2px 18px}.verdict dd{font-size:16px}section{padding:14px}h1{font-size:24px}.zoom{gap:4px;padding:6px}.zoom :is(button,select,output,label){font-size:13px}.zoom button{padding:2px 8px}.zoom output{margin:0 4px}.zoom label{margin-left:0}.charts{gap:18px}h2,h3,figure{scroll-margin-top:92px}}
@media print{*{print-color-adjust:exact}body{background:#fff;font-size:12px}h2,h3{break-after:avoid}section{border:0;padding:0;background:none!important}.verdict{border-left:6px solid currentColor;padding-left:12px}.chart,tr{break-inside:avoid}.zoom,.behind,.contents,.tip{display:none}.term{text-decoration:none}.scroll{max-height:none;overflow:visible}.charts{grid-template-columns:1fr 1fr}table{font-size:10.5px}th,td{padding:4px 5px}.plot .u-series:first-child,.plot .u-value{display:none!important}.plot .u-series th::after{content:none!important}.heat .u-legend{display:none!important}}
`;

/** Style of a page without scripted charts. */
export const STYLE = PAGE_STYLE + REPORT_STYLE;
