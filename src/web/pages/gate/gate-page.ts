/** The one-minute screen of HITL-1: the decision, its reason, the changes, the problems, and the answer. */
import { formatCount, shortDigest } from '../../../report/text/number-format.ts';
import type { StoredDraft } from '../../../ports/drafts.ts';
import { listApprovalDoubts } from '../../../report/gate/approval-doubts.ts';
import { formatSinceTitle } from '../../../report/gate/review-texts.ts';
import { html, type Html, renderFold } from '../../../report/html/html.ts';
import type { AnswerDraft } from '../../read/answer-drafts.ts';
import type { GateView } from '../../read/read-gate.ts';
import type { WaitingGate } from '../../read/open-gates.ts';
import { gateHref, runHref } from '../page-links.ts';
import { personText } from '../time-texts.ts';
import { answerBar, notesSection } from './answer-sections.ts';
import { decidingSection, summaryFold, whySection } from './decision-summary.ts';
import { earlierSection, unsentSection } from './earlier-drafts.ts';
import { gateOpening, gateStatus } from './gate-header.ts';
import { listGateComments, type Handover } from '../../../run/exchanges.ts';
import {
  commentsSection,
  disputedSection,
  isDisputed,
  questionsSection,
  saidSection,
} from './earlier-comments-and-checks.ts';
import { renderRulesByRisk, ruleRows } from './rule-rows.ts';
import { sourcesSection } from './sources-section.ts';
import {
  changeRows,
  foldRows,
  formatRows,
  isReviewed,
  moreRows,
  promptFold,
  shownRows,
  MOST_ROWS,
  type RowContext,
} from './change-rows.ts';

export type GatePage = {
  key: string;
  view: GateView;
  now: Date;
  /** The form's token and nonce; undefined when this visitor may not decide, and then `why` gives the reason. */
  form: { token: string; nonce: string } | undefined;
  why: string;
  siblings: readonly WaitingGate[];
  ticked: boolean;
  /** True when every row is shown, however many there are. */
  all: boolean;
  /** What comes next once the gate is closed. */
  next: Html | undefined;
  /** The decisions that this visitor may take back. */
  undo: Html | undefined;
  /** The panel with questions to Init and its answers. */
  chat: Html | undefined;
  /** A message at the top of the page; the reader's earlier text is kept below. */
  notice: Html | undefined;
  draft: AnswerDraft;
  /** Marks of the rules that this reader has reviewed. */
  reviewed: ReadonlySet<string>;
  /** The reader's unsent comments on an earlier design. */
  earlier: readonly StoredDraft[];
  expiresAt: string | undefined;
  /** The other reviewers who may decide this gate, and whom of all it was handed to last. */
  colleagues: readonly string[];
  handover: Handover | undefined;
};

export function gatePage(page: GatePage): Html {
  const { key, view, form, notice, draft } = page;
  const { pack, open } = view;
  const writable = form !== undefined && open !== undefined;
  const rows: RowContext = { key, pack, writable, draft: draft.anchored, reviewed: page.reviewed };
  const disputed = disputedSection(pack);
  // Where nothing is disputed, what changed is the thing to read first.
  const isToRead = isDisputed(pack) || pack.checks.some(({ skipped }) => skipped === true);
  const [before, after] = isToRead ? [disputed, undefined] : [undefined, disputed];
  const body = html`${decidingSection(page)}${before}${pack.round === 1 ? undefined : whySection(key, view)}${changesSection(page, rows)}${after}${sourcesSection(key, pack)}${commentsSection(pack, rowIds(view))}${saidSection(listGateComments(view.events, pack.gate), key, writable)}${questionsSection(pack, writable, draft.answers)}${page.chat}`;
  if (form === undefined || open === undefined) {
    return html`${gateOpening(page)}${notice}${gateStatus(page)}${page.next === undefined ? undefined : html`<section class="card">${page.next}</section>`}${page.undo}${unsentSection(draft)}${body}${linksSection(page)}`;
  }
  const action = gateHref(key, pack.gate);
  return html`${gateOpening(page)}${notice}${gateStatus(page)}${page.undo}
    <form
      method="post"
      action="${action}"
      id="decision"
      data-gate="${pack.gate}"
      data-digest="${open.digest}"
      data-left="${leftOut(page)}"
    >
      <button disabled hidden></button>
      <input type="hidden" name="form" value="${form.token}" />
      <input type="hidden" name="nonce" value="${form.nonce}" />
      <input type="hidden" name="digest" value="${open.digest}" />
      ${body}${earlierSection(key, pack, page.earlier)}${notesSection({ pack, doubts: listApprovalDoubts(pack), siblings: page.siblings, ticked: page.ticked, draft, shown: rowIds(view), hand: { href: `${action}/hand`, names: page.colleagues } })}
      ${linksSection(page)}${answerBar(`${action}/edit`)}
    </form>`;
}

function changesSection({ key, view, all }: GatePage, context: RowContext): Html {
  const { pack, since, edit } = view;
  const edited =
    edit === undefined
      ? undefined
      : html`<section class="card" aria-labelledby="edit-title">
          <h2 id="edit-title">What ${personText(edit.by)} edited</h2>
          ${changeRows(edit.rules, { ...context, writable: false })}${formatRows(edit)}${promptFold(edit)}
          ${edit.rules.length + edit.format.length === 0 ? html`<p>Only the text of the design; see the full diff.</p>` : undefined}
        </section>`;
  if (since.round === null) {
    const { rows, left } = shownRows(pack.rules, all);
    return html`${edited}
      <section class="card" aria-labelledby="rules-title">
        <h2 id="rules-title">
          ${formatCount(pack.rules.length, 'rule')}, ${pack.round === 1 ? 'all new' : 'none approved yet'}
        </h2>
        ${summaryFold(pack)}${renderRulesByRisk(rows, context)}${changeRows(
          since.rules.filter(({ kind }) => kind === 'removed'),
          context,
        )}${moreRows(left, 'rules', context)}
      </section>`;
  }
  const nothing = since.rules.length + since.format.length === 0;
  const { rows, left } = shownRows(since.rules, all);
  const done = rows.filter(({ id, kind }) => kind !== 'removed' && isReviewed(id, context));
  const fresh = rows.filter((row) => !done.includes(row));
  return html`${edited}
    <section class="card" aria-labelledby="changes-title">
      <div class="head">
        <h2 id="changes-title">${formatSinceTitle(since)}</h2>
      </div>
      ${nothing ? html`<p>No rule and nothing of the format changed; the text did. See the full diff.</p>` : undefined}
      ${changeRows(fresh, context)}${foldRows(changeRows(done, context), `${formatCount(done.length, 'change')} that you have reviewed`)}${moreRows(left, 'changed rules', context)}${formatRows(since)}${promptFold(since)}${allRules(key, context)}
    </section>`;
}

function allRules(key: string, context: RowContext): Html {
  const { gate, rules } = context.pack;
  if (rules.length > MOST_ROWS) {
    return html`<p><a href="${gateHref(key, gate)}/design">All ${formatCount(rules.length, 'rule')}</a></p>`;
  }
  return renderFold(`All ${formatCount(rules.length, 'rule')}`, ruleRows(rules, context, false));
}

/** Ids of the rules that have a row, and with it a comment field of their own. */
function rowIds({ pack, since }: GateView): ReadonlySet<string> {
  return new Set((since.round === null ? pack.rules : since.rules).map(({ id }) => id));
}

/** Number of rows that this page leaves out; the approval records that they were not shown. */
function leftOut({ all, view: { pack, since } }: GatePage): number {
  return (since.round === null ? shownRows(pack.rules, all) : shownRows(since.rules, all)).left;
}

function linksSection({ key, view: { pack, open } }: Pick<GatePage, 'key' | 'view'>): Html {
  const { gate } = pack;
  const digest = open?.digest ?? pack.designDigest;
  return html`<p class="evidence">
    <a id="design" href="${gateHref(key, gate)}/design">Whole design and full diff</a>
    <code>${shortDigest(digest)}</code> <a href="${runHref(key)}">The run so far</a
    ><a id="next" href="/next?after=${encodeURIComponent(`${key}.${gate}`)}">Next gate</a>
  </p>`;
}
