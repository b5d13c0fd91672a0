/** The frame of every report: one self-contained HTML page. */
import { html, getMarkup, trustMarkup, type Html } from './html.ts';

/** The content security policy: the page loads nothing and runs nothing. */
const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function reportPage(title: string, body: Html): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trustMarkup(CONTENT_POLICY)}" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>
          ${trustMarkup(STYLE)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return getMarkup(page);
}

/** The style sheet of the report page: dark and light, phone and desk, screen and paper. */
export const STYLE = `
:root{color-scheme:light dark;
--page:#f6f7f9;--card:#fff;--ink:#16202b;--soft:#55616e;--line:#d9dee4;--faint:#eef1f4;
--good:#14713a;--good-bg:#e3f5e9;--bad:#b3261e;--bad-bg:#fdeceb;--warn:#8a5200;--warn-bg:#fdf3dd;--plain:#3b4754;--plain-bg:#eceff3;
--accent:#1f5fbf;--l1:#6b3fc0;--l2:#a04d00;--l3:#1f5fbf;--l4:#4d5a67;--l4a:#0b6b5e;--l4b:#4d5a67;--on:#fff;--band:#f0f3f7}
@media (prefers-color-scheme:dark){:root{
--page:#0e1319;--card:#161d26;--ink:#e8edf2;--soft:#a3b0bd;--line:#2c3743;--faint:#1e2731;
--good:#6fdc93;--good-bg:#11301f;--bad:#ff9b93;--bad-bg:#3a1a1a;--warn:#f2c26b;--warn-bg:#352710;--plain:#c3ced9;--plain-bg:#232d38;
--accent:#82b4ff;--l1:#c4a6ff;--l2:#f5a962;--l3:#82b4ff;--l4:#a9b6c3;--l4a:#5fd3c1;--l4b:#a9b6c3;--on:#0e1319;--band:#1b242e}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;overflow-wrap:anywhere}
main,header.top,footer{max-width:68rem;margin:0 auto;padding:0 1.25rem}
header.top{padding-top:1.75rem}
.brand{margin:0;color:var(--soft);font-size:.8rem;letter-spacing:.12em;text-transform:uppercase;font-weight:600}
h1{font-size:1.75rem;line-height:1.2;margin:.3rem 0 .35rem;letter-spacing:-.015em}
h2{font-size:1.15rem;margin:0 0 .2rem;letter-spacing:-.005em}
h3{font-size:1rem;margin:1.4rem 0 .4rem}
p{margin:.4rem 0}
.soft{color:var(--soft)}.small{font-size:.875rem}
code,.mono{font-family:ui-monospace,'SF Mono',Menlo,Consolas,monospace;font-size:.875em}
a{color:var(--accent)}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:1.25rem 1.4rem;margin:1rem 0}
.grid{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}
.grid>.card{margin:0;min-width:0}
.pill{display:inline-block;border-radius:999px;padding:.05rem .6rem;font-size:.78rem;font-weight:650;letter-spacing:.02em;white-space:nowrap}
.good{color:var(--good);background:var(--good-bg)}.bad{color:var(--bad);background:var(--bad-bg)}
.warn{color:var(--warn);background:var(--warn-bg)}.plain{color:var(--plain);background:var(--plain-bg)}
.loud{background:var(--warn);color:var(--card)}
.banner{border:0;border-radius:18px;padding:1.6rem 1.75rem;display:flex;flex-wrap:wrap;gap:.5rem 2.5rem;align-items:center;justify-content:space-between}
.banner>div{min-width:0}
.banner .title{font-size:1.9rem;font-weight:750;line-height:1.15;margin:0;letter-spacing:-.02em}
.banner p{color:var(--ink)}
.banner .rate{font-size:3.6rem;font-weight:780;line-height:1;letter-spacing:-.04em;font-variant-numeric:tabular-nums;margin:0;white-space:nowrap;color:inherit}
.banner .rate+p{font-size:.875rem;margin:.35rem 0 0}
.why{flex:1 1 24rem}
.tiles{display:grid;grid-template-columns:repeat(6,1fr);gap:.75rem;margin:1rem 0;padding:0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.75rem .8rem}
.tile dt{color:var(--soft);font-size:.8rem}
.tile dd{margin:.1rem 0 0;font-size:1.2rem;font-weight:680;font-variant-numeric:tabular-nums;letter-spacing:-.01em;white-space:nowrap}
.tile dd span{display:block;white-space:normal;font-size:.8rem;font-weight:400;color:var(--soft);letter-spacing:0}
.note{border-radius:12px;padding:.7rem 1rem;margin:.6rem 0;border:1px solid currentColor}
.note p{margin:0}.note span{color:var(--ink)}
.scroll{overflow-x:auto;position:relative;background:linear-gradient(90deg,var(--card) 1rem,transparent) 0/2.2rem local,linear-gradient(270deg,var(--card) 1rem,transparent) 100%/2.2rem local,linear-gradient(90deg,#8889,transparent) 0/.7rem,linear-gradient(270deg,#8889,transparent) 100%/.7rem;background-repeat:no-repeat}
svg{display:block;width:100%;height:auto;margin:.6rem 0 .2rem}
svg text{fill:var(--soft);font:13px system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;font-variant-numeric:tabular-nums}
svg .strong{fill:var(--ink);font-weight:650}svg .halo{paint-order:stroke;stroke:var(--card);stroke-width:4px;stroke-linejoin:round}
svg .grid-line{stroke:var(--line)}svg .band{fill:var(--band)}
svg .border{stroke:var(--soft);stroke-dasharray:2 4}
svg .target{stroke:var(--good);stroke-width:2;stroke-dasharray:7 5}svg .target-name{fill:var(--good);font-weight:650}
svg .bar{stroke:var(--accent);stroke-width:2;opacity:.55}svg .path{fill:none;stroke:var(--accent);stroke-width:2.5}
svg .dot{fill:var(--accent);stroke:var(--card);stroke-width:2}svg .dot.met{fill:var(--good)}
.l1{fill:var(--l1);background:var(--l1)}.l2{fill:var(--l2);background:var(--l2)}.l3{fill:var(--l3);background:var(--l3)}.l4{fill:var(--l4);background:var(--l4)}.l4a{fill:var(--l4a);background:var(--l4a)}.l4b{fill:var(--l4b);background:var(--l4b)}
svg .c-read,.swatch.c-read{fill:var(--accent);background:var(--accent)}svg .c-written,.swatch.c-written{fill:var(--l2);background:var(--l2)}svg .c-fresh,.swatch.c-fresh{fill:var(--bad);background:var(--bad)}
svg .c-mark{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:4 4}.swatch.c-mark{background:var(--ink);width:.25em}
svg .on{fill:var(--on);font-weight:700}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:.4rem 0 0;padding:0;list-style:none;font-size:.875rem;color:var(--soft)}
.swatch{display:inline-block;width:.8em;height:.8em;border-radius:3px;margin-right:.4em}
table{overflow-wrap:break-word;border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{text-align:left;padding:.45rem .75rem .45rem 0;border-bottom:1px solid var(--line);vertical-align:top}
thead th{color:var(--soft);font-weight:600;font-size:.82rem;white-space:nowrap}
tbody tr:last-child>*{border-bottom:0}
tbody th{font-weight:600}
.tight td,tbody th{white-space:nowrap}td.wide{min-width:15rem}thead th.num{white-space:normal}
.num{text-align:right;white-space:nowrap}
.meter{display:block;height:.5rem;border-radius:4px;background:var(--faint);min-width:7rem;margin-top:.45rem;position:relative;overflow:hidden;border:1px solid var(--line)}
.meter i{position:absolute;inset:0 auto 0 0;background:var(--accent)}.meter i.back{background:var(--line)}
.line{list-style:none;margin:.8rem 0 0;padding:0 0 0 1.35rem;border-left:2px solid var(--line)}
.line li{position:relative;margin:0 0 1.05rem}
.line li:last-child{margin-bottom:0}
.line li::before{content:'';position:absolute;left:calc(-1.35rem - 7px);top:.42rem;width:12px;height:12px;border-radius:50%;background:var(--card);border:3px solid var(--plain)}
.line li.t-good::before{border-color:var(--good)}.line li.t-bad::before{border-color:var(--bad)}.line li.t-warn::before{border-color:var(--warn)}
.line p{margin:.15rem 0}
blockquote{margin:.35rem 0 0;padding:.1rem 0 .1rem .8rem;border-left:3px solid var(--line);color:var(--ink);white-space:pre-wrap}
.heat{width:auto;font-size:.85rem;border-collapse:separate;border-spacing:2px}
.heat th,.heat td{border:0;padding:0}
.heat thead th{height:11rem;vertical-align:bottom;font-weight:500;white-space:nowrap}
.heat thead th span{writing-mode:vertical-rl;transform:rotate(180deg);max-height:10.6rem;overflow:hidden;text-overflow:ellipsis;padding:.2rem 0;display:inline-block;line-height:1.75rem;width:1.75rem}
.heat tbody th{vertical-align:middle;position:sticky;left:0;background:var(--card);padding:0 .7rem 0 0;white-space:nowrap;z-index:1}
.heat td{width:1.75rem;min-width:1.75rem;height:1.75rem;border-radius:5px;text-align:center;vertical-align:middle;font-weight:700;line-height:1.75rem}
.heat td.none{background:var(--faint);color:transparent}
.heat td.tally{width:auto;padding:0 0 0 .6rem;font-weight:500;color:var(--soft);text-align:left;white-space:nowrap}
details{border-top:1px solid var(--line)}
.card>details:first-child{border-top:0;margin:-.55rem 0}
details>summary{cursor:pointer;padding:.7rem 0;display:flex;flex-wrap:wrap;gap:.25rem .6rem;align-items:baseline;list-style:none}
details>summary::-webkit-details-marker{display:none}
details>summary::before{content:'▸';color:var(--soft);width:1em}
details[open]>summary::before{content:'▾'}
details .inside{padding:0 0 1rem 1.6rem}
pre{background:var(--faint);border-radius:8px;padding:.7rem .9rem;margin:.4rem 0;white-space:pre-wrap;font:.84rem/1.5 ui-monospace,'SF Mono',Menlo,Consolas,monospace}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.2rem;margin:.6rem 0 0}
dl.facts dt{color:var(--soft)}dl.facts dd{margin:0}
ul.plain-list{margin:.3rem 0;padding-left:1.1rem}
footer{padding-top:.5rem;padding-bottom:2.5rem;color:var(--soft);font-size:.85rem}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:60rem){.tiles{grid-template-columns:repeat(3,1fr)}}
@media (max-width:34rem){.share{display:none}thead th{white-space:normal}main,header.top,footer{padding-left:.85rem;padding-right:.85rem}.card{padding:1rem}.banner{padding:1.25rem}.banner .title{font-size:1.5rem}.banner .rate{font-size:3rem}h1{font-size:1.4rem}
.tiles{grid-template-columns:1fr 1fr}dl.facts{grid-template-columns:1fr;gap:0}dl.facts dd{margin-bottom:.6rem}details .inside{padding-left:0}}
@media print{:root{--page:#fff;--faint:#f4f5f7}.scroll{overflow:visible;background:none}body{font-size:11pt}.card,.tile,.note,.banner{break-inside:avoid}.card.long{break-inside:auto}details{break-inside:avoid}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}details::details-content{content-visibility:visible;block-size:auto}details>summary::before{content:''}}
`;
