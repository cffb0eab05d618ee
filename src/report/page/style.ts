/** Colors that remain distinguishable with the common kinds of color blindness; lines also differ in their dashes. */
const LIGHT = `
color-scheme:light;--page:#f6f7f9;--card:#fff;--ink:#1b2430;--faint:#59636f;--grid:#e3e7ec;--rule:#d5dae1;
--good:#1a6e4a;--good-back:#e4f4ec;--caution:#7d5200;--caution-back:#fdf1d8;--bad:#b3261e;--bad-back:#fcebe9;
--accent:#0b5cad;--blue:#0069b4;--red:#c8451b;--purple:#8a4fa3;--green:#00805d;--orange:#b26a00;--gray:#69737f;
--band-even:#dfe6ef;--band-odd:#cbd6e4;--band-excluded:#c9c9c9;--band-fault:#f3a78f;--band-event:#d3b6e3;
--heat-0:#b9d6ee;--heat-1:#92bfe2;--heat-2:#68a5d6;--heat-3:#428ac6;--heat-4:#2270b3;--heat-5:#0c5096;--heat-6:#062f63;
`;
const DARK = `
color-scheme:dark;--page:#11161d;--card:#19202a;--ink:#e7ebf0;--faint:#a5afbb;--grid:#2b3440;--rule:#364150;
--good:#63d3a2;--good-back:#15382b;--caution:#f0bf5a;--caution-back:#3b2e10;--bad:#ff9c8f;--bad-back:#451f1b;
--accent:#74b8f5;--blue:#5fb3f2;--red:#ff8758;--purple:#cf9be6;--green:#3fcf9f;--orange:#f2b441;--gray:#9ba6b3;
--band-even:#2a3543;--band-odd:#364556;--band-excluded:#4a4a4a;--band-fault:#8a412a;--band-event:#5d4270;
--heat-0:#24527d;--heat-1:#2a6397;--heat-2:#3478b3;--heat-3:#4a8fcb;--heat-4:#7bb3e2;--heat-5:#b0d4f1;--heat-6:#eaf5ff;
`;

/** Common style of pages: colors, text, cards, tables, controls and charts. uPlot's own style precedes it. */
export const PAGE_STYLE = `
:root{${LIGHT}}
@media screen and (prefers-color-scheme:dark){:root:not(.paper){${DARK}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
.top,main{max-width:1180px;margin:0 auto;padding:0 20px}
.top{padding-top:28px}
main{padding-bottom:48px}
h1{margin:0;font-size:30px;line-height:1.2;overflow-wrap:anywhere}
h2{margin:0 0 12px;font-size:20px}
h3{margin:20px 0 8px;font-size:16px}
h2,h3,figure{scroll-margin-top:64px}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.92em}
.brand{margin:0;color:var(--faint);font-size:13px;font-weight:600;letter-spacing:.12em;text-transform:uppercase}
.facts{display:flex;flex-wrap:wrap;gap:8px 28px;margin:16px 0}
.facts dt{color:var(--faint);font-size:13px}
.facts dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
section{margin:20px 0;padding:20px;background:var(--card);border:1px solid var(--rule);border-radius:10px}
.good{color:var(--good)}.caution{color:var(--caution)}.bad{color:var(--bad)}
.note{color:var(--faint);font-size:14px;margin:8px 0}
.scroll{overflow-x:auto;max-height:440px}
.scroll:focus-visible,button:focus-visible,select:focus-visible,summary:focus-visible,pre:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px;border-bottom:1px solid var(--rule);text-align:right;white-space:nowrap}
th:first-child,td:first-child{padding-left:0;text-align:left}
thead th{color:var(--faint);font-weight:600;position:sticky;top:0;background:var(--card)}
tbody th{font-weight:500}
details{margin-top:10px}
summary{cursor:pointer;color:var(--accent);font-size:14px}
pre{max-height:520px;overflow:auto;padding:14px;background:var(--page);border-radius:6px}
button,select{min-height:32px;min-width:36px;padding:2px 10px;font:inherit;font-size:14px;color:var(--ink);background:var(--page);border:1px solid var(--rule);border-radius:6px;cursor:pointer}
select{max-width:220px}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(460px,100%),1fr));gap:18px 24px}
.chart{margin:0;min-width:0}
.chart:last-child:nth-child(odd){grid-column:1/-1}
figcaption{display:flex;flex-wrap:wrap;align-items:baseline;font-weight:600;font-size:14px}
.about{margin-left:8px;color:var(--faint);font-weight:400}
.plot{min-height:230px}
.plot .uplot,.plot .u-wrap{max-width:100%}
.plot .u-legend{display:block;width:auto;margin:2px 0 0 56px;text-align:left;font-size:13px}
.u-legend tbody{display:flex;flex-wrap:wrap;gap:2px 14px}
.u-legend tr{display:inline-flex!important;margin:0!important}
.plot .u-marker{width:22px;height:0;margin-right:6px;border-width:0 0 3px!important}
.u-legend th,.u-legend td{border:0;padding:0 2px}
.u-legend th{font-weight:400;color:var(--faint)}
.u-legend .u-value{display:inline-block;min-width:54px;text-align:left}
.u-select{background:color-mix(in srgb,var(--accent) 22%,transparent)}
.u-cursor-x,.u-cursor-y{border-color:var(--faint)!important}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`;
