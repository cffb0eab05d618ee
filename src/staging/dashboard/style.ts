/** Style of the dashboard in addition to that of all pages. */
export const DASHBOARD_STYLE = `
:root{--calm-green:#3b8f74;--calm-blue:#5285b3}
@media screen and (prefers-color-scheme:dark){:root{--calm-green:#2c8469;--calm-blue:#3d709e}}
[hidden]{display:none!important}
.top,main{max-width:1440px}
.top{display:grid;grid-template-columns:1fr auto;align-items:end;gap:4px 20px}
.top .facts,.top .unlock{grid-column:1/-1}
.top .facts{margin:10px 0 0}
.skip{position:absolute;left:-9999px}.skip:focus{left:8px;top:8px;padding:8px 12px;background:var(--card);color:var(--accent);z-index:30}
input{min-height:36px;padding:4px 10px;font:inherit;font-size:14px;color:var(--ink);background:var(--page);border:1px solid var(--faint);border-radius:6px}
select{min-height:36px;border-color:var(--faint)}
button{border-color:var(--faint)}
input:focus-visible,a:focus-visible,h2:focus-visible,.map:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
::placeholder{color:var(--faint);opacity:1}
.connection{display:flex;align-items:center;gap:8px}
.connection-state{display:inline-flex;align-items:center;gap:8px;padding:4px 12px;border-radius:999px;background:var(--caution-back);color:var(--caution);font-size:14px;font-weight:600}
.connection-state::before{content:'';width:9px;height:9px;border-radius:50%;border:2px solid currentColor}
[data-connection=live] .connection-state{background:var(--good-back);color:var(--good)}
[data-connection=live] .connection-state::before{background:currentColor}
[data-connection=locked] .connection-state{background:var(--bad-back);color:var(--bad)}
.unlock{display:flex;flex-wrap:wrap;align-items:center;gap:8px;padding:14px;background:var(--card);border:1px solid var(--rule);border-radius:10px}
.unlock input{flex:1 1 240px}.unlock .note{flex-basis:100%;margin:0}
main{display:grid;grid-template-columns:minmax(0,2fr) minmax(300px,1fr);gap:16px;padding-top:16px}
section{margin:0;min-width:0}
#agent,#time{grid-column:1/-1}
#log,#cluster{grid-column:1/-1}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:0 0 12px;padding:0;list-style:none;font-size:14px;font-variant-numeric:tabular-nums}
.legend li{display:flex;align-items:center;gap:6px}
.swatch{width:14px;height:14px}
.map{position:relative;min-height:60px;line-height:0;cursor:crosshair;touch-action:pan-y}
.map canvas{display:block}
#map-rings{position:absolute;left:-4px;top:-4px;pointer-events:none}
.pointed{display:block;min-height:1.5em;font-variant-numeric:tabular-nums}
.find{display:flex;flex-wrap:wrap;align-items:center;gap:8px 12px;margin-top:14px;font-size:14px}
.find input{flex:1 1 240px}.find output{flex-basis:100%}
.found{max-height:280px}
.found:has(tbody:empty),.problems:has(tbody:empty){display:none}
.problems{margin-top:8px}.problems td:nth-child(4){white-space:normal;min-width:12em;overflow-wrap:anywhere}
.sentence{grid-column:1/-1;font-weight:600;overflow-wrap:anywhere}
td{text-align:left}th:not(:first-child){text-align:left}
:is(#charts,#agent-host,#whole) :is(td,th:not(:first-child)){text-align:right}
#whole>div:has(tbody:empty){display:none}
#log td:last-child{position:sticky;right:0;background:var(--card)}
td a,#moment{color:var(--accent)}
.span{display:flex;flex-wrap:wrap;align-items:center;gap:8px 14px;font-size:14px}
.span label{color:var(--faint)}.span output{flex-basis:100%;margin:0}.span output:empty{display:none}
.steps{display:inline-flex;gap:4px}
.lanes{position:relative;height:calc(var(--lanes)*26px);max-height:312px;margin:8px 0 12px;padding:0;list-style:none;overflow:hidden auto;font-size:13px}
.lanes .bar{position:absolute;top:calc(var(--lane)*26px);height:24px;border-radius:3px;background:var(--band-event)}
.lanes a{position:absolute;top:calc(var(--lane)*26px);height:24px;line-height:24px;white-space:nowrap;color:var(--ink)}
#whole{margin-bottom:16px;grid-template-columns:minmax(0,5fr) minmax(0,3fr)}#whole h3{margin-top:8px}
.link{min-height:0;min-width:0;padding:0;border:0;background:none;color:var(--accent);text-decoration:underline}
#agent-documents{display:flex;gap:8px;margin:0}
.bar-line{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:8px 20px;margin-bottom:12px}
.bar-line h2{margin:0;overflow-wrap:anywhere}.bar-line label{font-size:14px;color:var(--faint)}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(380px,100%),1fr));gap:0 24px}
.columns>*{min-width:0}
.columns pre{max-height:260px;white-space:pre-wrap;overflow-wrap:anywhere}
form .field{margin-bottom:12px}
form .field>label{display:block;margin-bottom:4px;font-size:14px;font-weight:600}
.field input,.field select{width:100%;max-width:none}
.field .note{margin:4px 0 0;font-size:13px}
.decide{border-top:1px solid var(--rule);padding-top:12px}
.decide output{display:block;min-height:3em;margin-bottom:10px;font-size:14px;overflow-wrap:anywhere}
.main{width:100%;min-height:42px;font-weight:600;color:var(--card);background:var(--accent);border-color:var(--accent)}
.main:disabled{color:var(--faint);background:var(--page);border-color:var(--rule);cursor:not-allowed}
.status{padding:1px 8px;border-radius:999px;font-size:13px;background:var(--page);color:var(--faint)}
.status.under-way{background:var(--caution-back);color:var(--caution);font-weight:600}
.behind{margin-top:4px}.behind .scroll{max-height:300px}
.charts .chart:last-child:nth-child(odd){grid-column:auto}
@media (max-width:900px){main,#whole{grid-template-columns:minmax(0,1fr)}}
@media (max-width:600px){.top{grid-template-columns:minmax(0,1fr);padding-top:16px}.top,main{padding-left:10px;padding-right:10px}section{padding:14px}h1{font-size:24px}.charts{gap:18px}.facts{gap:6px 20px}button,.bar-line select{min-height:40px}}
`;
