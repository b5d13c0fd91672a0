/** The styles that the results pages add: tables of cells, trees, columns side by side. */

export const RESULTS_STYLE = `
.chips{display:flex;flex-wrap:wrap;gap:.35rem;align-items:center;margin:.35rem 0}.chips>.soft{min-width:7rem;font-size:.88rem}
.chip{border:1px solid var(--line);border-radius:999px;padding:.15rem .7rem;font-size:.88rem;text-decoration:none;min-height:1.6rem}.chip.on{background:var(--band);border-color:var(--mark);font-weight:650}
.meta .chips{margin:0}.meta .chips>.soft{min-width:0}.find{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}.find input[type=text]{width:auto;flex:1 1 12rem;max-width:26rem}.find select{font:inherit;color:var(--ink);background:var(--page);border:1px solid var(--soft);border-radius:8px;padding:.45rem .5rem;max-width:100%}
.heat.matrix{width:100%}.heat.matrix thead th{height:auto;text-align:center;padding:0 .3rem .3rem}.heat.matrix small{font-weight:400}
.heat.matrix tbody th{white-space:normal;font-weight:500;min-width:11rem;width:100%}.heat.matrix tbody th a{display:inline-block;padding:.15rem 0}
.heat.matrix td{min-width:2.6rem;width:2.6rem}.heat.matrix td small{display:block;line-height:1.1;padding-bottom:.25rem}.heat.matrix td.none{color:var(--soft)}.heat.matrix td a{display:block;color:inherit;text-decoration:none;border-radius:5px}.heat.matrix td a:hover,.heat.matrix td a:focus-visible{outline:2px solid var(--mark)}
.pages{display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:baseline;margin:.5rem 0}.pages a{padding:.15rem 0}.ways{display:inline-flex;flex-wrap:wrap;gap:.2rem .7rem;align-items:baseline}
.scroll.sides{background:none}.sides{display:flex;margin-top:1rem;gap:1rem;align-items:flex-start;padding-bottom:.5rem}.sides>.card{flex:1 0 min(22rem,85vw);margin:0;min-width:0}
.tree,.tree ol{list-style:none;margin:0;padding:0}.tree ol{border-left:2px solid var(--line);margin-left:.4rem;padding-left:1rem}.tree details{border-top:0}.tree summary{padding:.3rem 0}
.tree li[id]{padding:.35rem 0;scroll-margin:30vh 0}.tree li:target{background:var(--warn-bg);border-radius:8px}.tree p{margin:.15rem 0;white-space:pre-wrap}.tree pre{margin:.1rem 0;max-height:18rem;overflow:auto}.tree .who{display:block;color:var(--soft);font-size:.82rem;font-weight:600}
.talk>li{scroll-margin:30vh 0}.talk>li:target{border-color:var(--mark)}
.anchor{display:inline-block;min-width:1.6rem;min-height:1.5rem;font-weight:400;margin-left:.4rem}
.call-parts{display:grid;grid-template-columns:3.5rem minmax(0,1fr);gap:.2rem .6rem;margin:.2rem 0}.call-parts dt{color:var(--soft);font-size:.82rem}.call-parts dd{margin:0;min-width:0}
.trend{max-width:15rem;margin:0}.trend .rate{fill:none;stroke:var(--accent);stroke-width:2}.trend .cost{fill:none;stroke:var(--l2);stroke-width:1.5;stroke-dasharray:4 3}.trends{display:flex;flex-wrap:wrap;gap:.6rem 2rem}.trends figure{margin:0}.trends figcaption{max-width:15rem}
.bytes{max-height:32rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.pairs td,.pairs th{vertical-align:middle}.pairs tbody th{white-space:normal;min-width:9rem;overflow-wrap:anywhere}.pairs .base{background:var(--band)}
@media print{.tree pre,.bytes{max-height:none;overflow:visible}}
`;
