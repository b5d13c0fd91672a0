/** The styles that the review page adds to the report's: decision rows, answer bar, conversations, diffs. */
import { STYLE } from '../../report/html/report-page.ts';
import { RESULTS_STYLE } from './results/results-style.ts';

const REVIEW = `
:root{--add:#0f6b33;--add-bg:#dcf5e4;--del:#a1221b;--del-bg:#fde4e2;--mark:#1f5fbf}
@media (prefers-color-scheme:dark){:root{--add:#7ee2a0;--add-bg:#12351f;--del:#ffa59e;--del-bg:#3f1c1b;--mark:#82b4ff}}
[hidden]{display:none!important}
main{padding-top:1.4rem;padding-bottom:2rem}main:focus{outline:0}
html{scroll-padding:1rem 0 11rem}
body.has-bar{padding-bottom:9rem}
.skip{position:absolute;left:-99rem}.skip:focus{left:.5rem;top:.5rem;background:var(--card);padding:.5rem;z-index:9}
nav.site{background:var(--card);border-bottom:1px solid var(--line)}
nav.site>div{max-width:68rem;margin:0 auto;padding:.55rem 1.25rem;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;align-items:baseline}
nav.site strong{letter-spacing:.02em;margin-right:auto}.card{padding:1.05rem 1.4rem}
nav.site a{text-decoration:none;padding:.25rem 0;border-bottom:2px solid transparent}
nav.site a:hover{text-decoration:underline}
nav.site a[aria-current]{color:var(--ink);border-bottom-color:var(--accent);font-weight:600}
nav.site form{margin:0}
button,.button{font:inherit;font-weight:600;border-radius:9px;border:1px solid var(--line);background:var(--card);color:var(--ink);padding:.5rem .95rem;cursor:pointer;text-decoration:none;display:inline-block;line-height:1.4}
button:hover,.button:hover{border-color:var(--soft)}
button:disabled{opacity:.5;cursor:not-allowed}
button.plain-link{border:0;background:none;color:var(--accent);padding:0;font-weight:400}
button.yes{background:var(--good);border-color:var(--good);color:var(--card)}
button.no{background:var(--bad);border-color:var(--bad);color:var(--card)}
:is(button,.button,input,textarea,select,[data-row],[tabindex]):focus-visible{outline:3px solid var(--mark);outline-offset:2px}
textarea,input[type=text],input[type=password]{font:inherit;width:100%;color:var(--ink);background:var(--page);border:1px solid var(--soft);border-radius:8px;padding:.5rem .7rem}
textarea{min-height:4.2rem;field-sizing:content;resize:vertical;display:block}
textarea[rows='1']{min-height:2.6rem}
select{font:inherit;color:var(--ink);background:var(--page);border:1px solid var(--soft);border-radius:8px;padding:.4rem .6rem}
label{font-weight:600}
fieldset{border:0;margin:.2rem 0 1rem;padding:0;min-width:0}legend{padding:0;font-weight:600}
.choices{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem;margin:.4rem 0}
.choices label{font-weight:500;border:1px solid var(--line);border-radius:999px;padding:.25rem .85rem;cursor:pointer;background:var(--page)}
.choices label:has(:checked){border-color:var(--mark);box-shadow:inset 0 0 0 1px var(--mark);font-weight:650}
.choices label:has(:focus-visible){outline:3px solid var(--mark);outline-offset:2px}
.meta{display:flex;flex-wrap:wrap;gap:.15rem .9rem;color:var(--soft);font-size:.9rem;margin:.3rem 0 0}
.ask{border-left:5px solid var(--mark)}
.ask .lead{font-size:1.13rem;line-height:1.5;margin:.2rem 0 .6rem}.ask .turn{margin:.6rem 0 0}
.facts-row{display:flex;flex-wrap:wrap;gap:.5rem 2.2rem;margin:0}
.facts-row dt{color:var(--soft);font-size:.8rem}.facts-row dd{margin:0;font-size:1.15rem;font-weight:680;font-variant-numeric:tabular-nums}
.facts-row dd small{font-size:.82rem;font-weight:400;color:var(--soft)}
.head{display:flex;flex-wrap:wrap;gap:.2rem 1rem;align-items:baseline;justify-content:space-between}
.row{border-top:1px solid var(--line);padding:.85rem .2rem;margin:0;scroll-margin:5rem 0 12rem;border-radius:6px}
.row:first-of-type{border-top:0}.row:nth-of-type(n+30){content-visibility:auto;contain-intrinsic-size:auto 11rem}.more{border-top:1px solid var(--line);padding-top:.8rem;font-weight:600}
.row h3{margin:0 0 .25rem;display:flex;gap:.2rem .55rem;align-items:baseline}.row h3>span:nth-child(2){min-width:0}.row h3>.pill{white-space:normal}
.row .sign{display:inline-block;min-width:1.5em;text-align:center;border-radius:5px;font-weight:750}
.sign.changed{background:var(--warn-bg);color:var(--warn)}.sign.added{background:var(--good-bg);color:var(--good)}.sign.removed{background:var(--bad-bg);color:var(--bad)}
.words{margin:.35rem 0;font-size:1.02rem}
.beside blockquote{margin:.1rem 0;padding-left:.7rem;border-left:3px solid var(--line);font-size:.92rem}.beside p{margin:.15rem 0}.beside details{border:0;margin:0}.beside details>summary,details.because>summary{padding:.1rem 0;font-weight:400;color:var(--accent);font-size:.9rem}details.because{border:0;margin:0}
.source{font:.88rem/1.6 ui-monospace,'SF Mono',Menlo,Consolas,monospace;padding-left:3.2rem;margin:0}.source li{white-space:pre-wrap;overflow-wrap:anywhere;scroll-margin:30vh 0}.source li::marker{color:var(--soft)}.source li:target{background:var(--warn-bg)}
button.mark{margin-left:auto;flex:none;white-space:nowrap;padding:.15rem .6rem;font-size:.8rem;font-weight:500;min-height:1.6rem}button.mark[aria-pressed=true]{border-color:var(--good);color:var(--good)}
@media (min-width:75rem){.has-bar main,.has-bar nav.site>div,.has-bar .bar>div{max-width:88rem}.row:has(>.beside){display:grid;grid-template-columns:minmax(0,1fr) 22rem;column-gap:2rem}.row>.beside{grid-column:2;grid-row:1/span 9}.row:has(>.beside)>:not(.beside){grid-column:1}}
ins{background:var(--add-bg);color:var(--add);text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:3px;border-radius:3px;padding:0 .1em}
del{background:var(--del-bg);color:var(--del);text-decoration:line-through;border-radius:3px;padding:0 .1em}
.because{margin:.3rem 0;color:var(--soft)}.because strong{color:var(--ink);font-weight:600}
.evidence{display:flex;flex-wrap:wrap;gap:.15rem .9rem;margin:.2rem 0;font-size:.9rem}
details.note-on{border-top:0;margin-top:.2rem}details.note-on>summary{padding:.15rem 0;color:var(--accent);font-size:.9rem}
details.note-on .inside{padding:.2rem 0 .3rem}
.checks{list-style:none;margin:.4rem 0;padding:0}.checks li{display:flex;gap:.6rem;padding:.25rem 0;align-items:baseline}
.checks .pill{flex:none;min-width:4.6em;text-align:center}
.said{border-left:3px solid var(--line);padding:.1rem 0 .1rem .9rem;margin:.7rem 0}
.said.mine{border-left-color:var(--mark)}.said p{margin:.1rem 0}.said .quote{white-space:pre-wrap}
.bar{position:fixed;z-index:5;inset:auto 0 0 0;background:var(--card);border-top:1px solid var(--line);box-shadow:0 -4px 18px rgb(0 0 0/.09)}
.bar>div{max-width:68rem;margin:0 auto;padding:.65rem 1.25rem;display:flex;flex-wrap:wrap;gap:.45rem .6rem;align-items:center}
.bar .told{flex:1 1 100%;margin:0;font-size:.88rem;color:var(--soft)}
.bar .told:empty{display:none}.bar .told.loud-text{color:var(--warn);font-weight:650;background:none}
.bar .hint{margin-left:auto;color:var(--soft);font-size:.82rem}
kbd{font:.78em ui-monospace,'SF Mono',Menlo,Consolas,monospace;border:1px solid currentColor;border-radius:4px;padding:0 .35em;margin-left:.35em;opacity:.85}
.confirm{border:1px solid var(--warn);border-radius:10px;padding:.6rem .9rem;background:var(--warn-bg);margin:.8rem 0}
.confirm input{max-width:14rem}
.alert{border-radius:12px;padding:.85rem 1.1rem;margin:1rem 0;border:1px solid currentColor}
.alert p{margin:.15rem 0}.alert p:not(:first-child){color:var(--ink)}
.queue{list-style:none;margin:0;padding:0}
.queue>li{border-top:1px solid var(--line)}.queue>li:first-child{border-top:0}
.queue a.item{display:grid;grid-template-columns:1fr auto;gap:.1rem 1rem;padding:.9rem .3rem;color:inherit;text-decoration:none;border-radius:8px}
.queue a.item:hover .name{text-decoration:underline}
.queue .also{margin:-.5rem .3rem .9rem}
.queue .name{color:var(--accent);font-weight:650;font-size:1.05rem}
.queue .wait{font-variant-numeric:tabular-nums;white-space:nowrap;font-weight:600}
.queue .what{grid-column:1/-1;color:var(--soft);font-size:.92rem}
.sections{display:flex;flex-wrap:wrap;gap:.1rem .8rem;align-items:center;margin:.8rem 0 .2rem}.sections svg{height:.65rem;margin:0;width:auto;max-width:100%}.sections rect{fill:var(--line)}.sections .has{fill:var(--good)}.sections+ul a{display:inline-block;min-height:24px;line-height:24px}
.diff{font:.82rem/1.55 ui-monospace,'SF Mono',Menlo,Consolas,monospace;overflow-x:auto;border:1px solid var(--line);border-radius:10px;background:var(--card);margin:.6rem 0}
.diff div{white-space:pre-wrap;padding:0 .8rem;min-height:1.55em}
.say{font:.78rem/1.3 system-ui,sans-serif;margin-left:.5rem;white-space:nowrap;text-decoration:none;border-bottom:1px dotted currentColor}.say[data-on]{margin:0 .3rem 0 .1rem;border:0;font-size:.85rem;color:var(--soft);padding:.1rem .2rem}.outcome{margin:.5rem 0 .7rem}.outcome svg{width:100%;max-width:40rem;height:.85rem;display:block}.outcome .passed{fill:var(--good)}figcaption{color:var(--soft);font-size:.85rem;margin-top:.3rem}.key{margin-left:.7rem;white-space:nowrap}.key::before{content:'';display:inline-block;width:.7em;height:.7em;border-radius:2px;margin-right:.35em;background:var(--good)}.l1-key::before{background:var(--l1)}.l2-key::before{background:var(--l2)}.l3-key::before{background:var(--l3)}.l4-key::before{background:var(--l4)}.l4a-key::before{background:var(--l4a)}.l4b-key::before{background:var(--l4b)}.tiles.four{grid-template-columns:repeat(4,1fr)}textarea+p{margin-top:.8rem}.diff [data-row]:focus-visible{outline-offset:-3px}.diff .say{color:inherit;margin-left:.4rem;border:0;padding:0 .3rem}.diff .said{margin:.35rem .8rem;font-family:system-ui,sans-serif;background:var(--card)}
@media (hover:hover){.diff .say{opacity:0}.diff div:hover>.say,.diff div:focus .say,.say:focus{opacity:1}}
.diff .a{background:var(--add-bg);color:var(--add)}.diff .d{background:var(--del-bg);color:var(--del)}
.diff .h{background:var(--faint);color:var(--soft);padding-top:.25rem;padding-bottom:.25rem}.diff .f{font-weight:700;background:var(--band);padding:.45rem .8rem}
.talk{margin:.6rem 0;padding:0;list-style:none}
.talk>li{margin:.55rem 0;max-width:92%;border-radius:12px;padding:.55rem .85rem;border:1px solid var(--line);background:var(--card)}
.talk>li.user{margin-left:auto;background:var(--band)}
.talk .who{display:block;color:var(--soft);font-size:.78rem;font-weight:600}
.talk p{margin:.15rem 0;white-space:pre-wrap}
.talk>li.call{background:var(--faint);max-width:100%}
.talk pre{margin:.3rem 0 0;max-height:22rem;overflow:auto;background:var(--card)}
.picture{margin:.5rem 0}.picture a{display:block;width:fit-content;max-width:100%;border-radius:8px}.picture figcaption{margin-top:.3rem}
.picture img{display:block;max-width:min(100%,36rem);max-height:26rem;min-width:2.5rem;min-height:2.5rem;object-fit:contain;border:1px solid var(--line);border-radius:8px;background:repeating-conic-gradient(#d4d8de 0 25%,#fff 0 50%) 0/16px 16px}
.picture-gone{font-size:.9rem;color:var(--soft);overflow-wrap:anywhere}.picture-gone .pill{margin-right:.4rem}
.talk>li.fold{max-width:100%;border-style:dashed;background:none}
.prose{max-width:46rem}.prose h3{font-size:1.05rem}.prose p,.prose li{margin:.45rem 0}
.edit textarea[name^='file.']{font:.85rem/1.5 ui-monospace,'SF Mono',Menlo,Consolas,monospace;min-height:20rem}
dialog{border:1px solid var(--line);border-radius:14px;background:var(--card);color:var(--ink);padding:1.2rem 1.5rem;max-width:30rem}
dialog::backdrop{background:rgb(0 0 0/.45)}
dialog dl{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1rem;margin:.8rem 0}dialog dd{margin:0}
.live{display:inline-flex;gap:.5rem;align-items:center;font-weight:600}
.live::before{content:'';width:.6em;height:.6em;border-radius:50%;background:var(--good)}
.live.off::before{background:var(--soft)}
@media (prefers-reduced-motion:no-preference){.live:not(.off)::before{animation:beat 2s infinite}@keyframes beat{50%{opacity:.25}}}
@media (max-width:60rem){.tiles.four{grid-template-columns:1fr 1fr}}
@media (max-width:34rem){nav.site>div{padding:.5rem .85rem;gap:.2rem .7rem;font-size:.9rem;justify-content:space-between}nav.site strong{display:none}.bar>div{padding:.55rem .85rem}.bar>div{gap:.4rem}.bar button,.bar .button{padding:.5rem .3rem;font-size:.95rem;flex:1 1 auto;text-align:center}.bar .hint,.bar kbd,.bar .long{display:none}
.facts-row{gap:.5rem 1.4rem}.talk>li{max-width:100%}body.has-bar{padding-bottom:8rem}}
.short{display:none}
@media (max-width:34rem){.short{display:inline}}
@media (max-width:34rem){:is(.meta,.evidence,.also,td,th,.plain-list,.small,.head,dd,.what) a:not(.item),button.plain-link,a.say,a.say[data-on],a.proof,nav.site a,summary,p>a:only-child,:is(.checks,fieldset,h3) a{display:inline-block;min-height:24px;min-width:24px;line-height:24px;padding-block:1px}button.mark,fieldset label{min-height:24px;line-height:24px}fieldset p label{display:inline-block}:is(td,th) input[type=checkbox]{width:24px;height:24px}summary{display:list-item}}
@media print{h2,h3{break-after:avoid}.talk pre{max-height:none;overflow:visible}nav.site,.bar,.say,button,.button,textarea,input,.choices{display:none}.row{content-visibility:visible}}
`;

export const REVIEW_STYLE = STYLE + REVIEW + RESULTS_STYLE;
