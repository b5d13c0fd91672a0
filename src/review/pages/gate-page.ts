/** The one-minute screen of HITL-1: what is decided, why now, what changed, what is not in order, and the answer. */
import { count, shortDigest, usd } from '../../report/figures.ts';
import { doubtsOf } from '../../report/doubts.ts';
import { html, type Html } from '../../report/html/html.ts';
import { changesText } from '../../report/review-words.ts';
import type { GateView } from '../read/read-gate.ts';
import type { WaitingGate } from '../read/open-gates.ts';
import { evidenceLink, gateHref, runHref } from './evidence.ts';
import { DECIDED, momentText, personText, waitText } from './figures.ts';
import { answerBar, notesSection } from './gate-answer.ts';
import { checksSection, commentsSection, questionsSection } from './gate-record.ts';
import { changeRows, formatRows, ruleRows, type RowContext } from './gate-rows.ts';
import { alert } from './layout.ts';

export type GatePage = {
  key: string;
  view: GateView;
  now: Date;
  /** The form's token and nonce; undefined when this visitor may not decide, and then `why` says so. */
  form: { token: string; nonce: string } | undefined;
  why: string;
  siblings: readonly WaitingGate[];
  /** A message over the page, and what was written before. */
  notice?: Html;
  draft?: { rules: ReadonlyMap<string, string>; notes: string };
  expiresAt?: string;
};

export function gatePage(page: GatePage): Html {
  const { key, view, form, notice, draft } = page;
  const { pack, open } = view;
  const writable = form !== undefined && open !== undefined;
  const rows: RowContext = { key, pack, writable, draft: draft?.rules ?? new Map() };
  const body = html`${decidingSection(page)}${whySection(key, view)}${changesSection(page, rows)}${commentsSection(pack)}${questionsSection(pack, writable)}${checksSection(pack)}`;
  if (form === undefined || open === undefined) {
    return html`${opening(page)}${notice}${standing(page)}${body}${linksSection(key, pack.gate)}`;
  }
  const action = gateHref(key, pack.gate);
  return html`${opening(page)}${notice}${standing(page)}
    <form method="post" action="${action}" id="decision" data-gate="${pack.gate}" data-digest="${open.digest}">
      <button disabled hidden></button>
      <input type="hidden" name="form" value="${form.token}" />
      <input type="hidden" name="nonce" value="${form.nonce}" />
      <input type="hidden" name="digest" value="${open.digest}" />
      ${body}${notesSection({ pack, doubts: doubtsOf(pack), siblings: page.siblings, notes: draft?.notes ?? '' })}
      ${linksSection(key, pack.gate)}${answerBar(`${action}/edit`)}
    </form>`;
}

function opening({ key, view: { pack, open }, now, expiresAt }: GatePage): Html {
  const waiting = open === undefined ? undefined : waitText(now.getTime() - Date.parse(open.openedAt));
  return html`<header>
    <p class="brand">${pack.gate.replace(/\.r\d+$/, '')} · round ${pack.round}</p>
    <h1>${pack.title}</h1>
    <p class="meta">
      ${waiting === undefined ? undefined : html`<span>waiting ${waiting}</span>`}
      ${expiresAt === undefined ? undefined : html`<span>expires ${momentText(expiresAt)}, which never approves</span>`}
      <span><code>${pack.scenario}</code></span>
      <span>run <a href="${runHref(key)}">${key}</a></span
      ><span>by ${pack.author}</span>
      <span>design <code>${shortDigest(open?.digest ?? pack.designDigest)}</code></span>
      ${pack.simulated === true ? html`<span class="pill loud">SIMULATED</span>` : undefined}
    </p>
  </header>`;
}

/** Whether it still waits, and for whom: decided elsewhere is shown, never hidden. */
function standing({ view: { open, decisions, edit, state, pack }, why, form }: GatePage): Html {
  const said = decisions.map((one) =>
    alert(
      one.decision === 'reject' ? 'bad' : one.decision === 'request_changes' ? 'warn' : 'good',
      `${personText(one.actor)} ${DECIDED[one.decision] ?? one.decision}, ${momentText(one.ts)}, through ${one.via}`,
      ...(one.comment.trim() === '' ? [] : [html`“${one.comment}”`]),
    ),
  );
  const quorum =
    open !== undefined && open.need > 1
      ? [alert('plain', `${open.approvals.length} of ${open.need} approvals`, 'Each must come from another person.')]
      : [];
  const closed =
    open === undefined && decisions.length === 0
      ? [
          alert(
            'warn',
            `This gate does not wait: the run is ${state.status}.`,
            `${pack.gate} can be read, not answered.`,
          ),
        ]
      : [];
  const barred =
    open !== undefined && form === undefined ? [alert('plain', 'You can read this, not decide it.', why)] : [];
  const edited =
    edit === undefined || open === undefined
      ? []
      : [
          alert(
            'warn',
            `${personText(edit.by)} edited this design; the edited one is what you decide on.`,
            `It lies in ${edit.dir}; its changes are marked below.`,
          ),
        ];
  return html`${said}${quorum}${edited}${closed}${barred}`;
}

function decidingSection({ view: { pack } }: GatePage): Html {
  const { text, estimateUsd, spentUsd, budgetUsd, minutesPerIteration } = pack.effect;
  const minutes =
    minutesPerIteration === undefined
      ? html`<small>nothing to go by yet</small>`
      : html`${minutesPerIteration < 1 ? 'under a minute' : `~${Math.ceil(minutesPerIteration)} min`}
          <small>each iteration</small>`;
  return html`<section class="card ask" aria-labelledby="ask-title">
    <h2 id="ask-title">What you are deciding</h2>
    <p class="lead">${text}</p>
    <dl class="facts-row">
      <div>
        <dt>Estimate</dt>
        <dd>${usd(estimateUsd)}</dd>
      </div>
      <div>
        <dt>Spent so far</dt>
        <dd>${usd(spentUsd)} <small>of ${usd(budgetUsd)}</small></dd>
      </div>
      <div>
        <dt>Time</dt>
        <dd>${minutes}</dd>
      </div>
    </dl>
    <p class="turn small soft">
      If it turns out wrong, it comes back to you as another round; nothing outside the run is changed.
    </p>
  </section>`;
}

function whySection(key: string, { pack: { why, round, summary } }: GateView): Html {
  return html`<section class="card" aria-labelledby="why-title">
    <h2 id="why-title">${round === 1 ? 'Why now' : `Why round ${round}`}</h2>
    <p>${why.text}</p>
    ${
      why.evidence.length === 0
        ? undefined
        : html`<p class="evidence">
            ${why.evidence.map(({ text, path }) => html`<span>${evidenceLink(key, path, text)}</span>`)}
          </p>`
    }
    ${
      summary.trim() === ''
        ? undefined
        : html`<div class="said">
            <p class="quote">${summary}</p>
            <p class="small soft">the agent’s summary</p>
          </div>`
    }
  </section>`;
}

function changesSection({ view }: GatePage, context: RowContext): Html {
  const { pack, since, edit } = view;
  const edited =
    edit === undefined
      ? undefined
      : html`<section class="card" aria-labelledby="edit-title">
          <h2 id="edit-title">What ${personText(edit.by)} edited</h2>
          ${changeRows(edit.rules, { ...context, writable: false })}${formatRows(edit.format)}
          ${edit.rules.length + edit.format.length === 0 ? html`<p>Only the text of the design; see the full diff.</p>` : undefined}
        </section>`;
  if (since.round === null) {
    return html`${edited}
      <section class="card" aria-labelledby="rules-title">
        <h2 id="rules-title">The design: ${count(pack.rules.length, 'rule')}</h2>
        <p class="soft small">No design of this run was approved yet, so everything here is new.</p>
        ${ruleRows(pack.rules, context, true)}
      </section>`;
  }
  const nothing = since.rules.length + since.format.length === 0;
  return html`${edited}
    <section class="card" aria-labelledby="changes-title">
      <div class="head">
        <h2 id="changes-title">${since.mine ? 'Since you approved' : 'Since the approved'} r${since.round}</h2>
        <p class="soft small">${changesText({ ...pack, since })}</p>
      </div>
      ${nothing ? html`<p>No rule and nothing of the format changed; the text did. See the full diff.</p>` : undefined}
      ${changeRows(since.rules, context)}${formatRows(since.format)}
      <details>
        <summary>All ${count(pack.rules.length, 'rule')}</summary>
        <div class="inside">${ruleRows(pack.rules, context, false)}</div>
      </details>
    </section>`;
}

function linksSection(key: string, gate: string): Html {
  return html`<p class="evidence">
    <a id="design" href="${gateHref(key, gate)}/design">Whole design and full diff</a>
    <a href="${runHref(key)}">The run so far</a
    ><a id="next" href="/next?after=${encodeURIComponent(`${key}.${gate}`)}">Next gate</a>
  </p>`;
}
