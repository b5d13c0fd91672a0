/** The reviewer's answer as a plain form: notes, the word that a doubt requires, and the four buttons. */
import { CONFIRM_WORD } from '../../../gate/rules/gate.ts';
import { html, type Html } from '../../../report/html/html.ts';
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import type { AnswerDraft } from '../../read/answer-drafts.ts';
import type { WaitingGate } from '../../read/open-gates.ts';
import { gateHref } from '../page-links.ts';
import { anchoredField } from './change-rows.ts';
import { textArea } from '../text-area.ts';

export type GateAnswerInput = {
  pack: ReviewPack;
  doubts: readonly string[];
  siblings: readonly WaitingGate[];
  /** True when the reader came here to answer all of them at once. */
  ticked: boolean;
  draft: AnswerDraft;
  /** Ids of the rules whose comments have a field in their row. */
  shown: ReadonlySet<string>;
  /** The address of the form that hands the gate over, and the reviewers who could be handed it. */
  hand: { href: string; names: readonly string[] };
};

export function notesSection({ doubts, siblings, ticked, draft, shown, hand }: GateAnswerInput): Html {
  return html`<section class="card" aria-labelledby="answer-title">
    <h2 id="answer-title">Your answer</h2>
    <p>
      <label for="notes">Notes</label>
      <span class="soft small">go to both agents, also when you approve. Name rules (R4) or files (@path).</span>
    </p>
    ${textArea(html`id="notes" name="comment" rows="3" maxlength="20000"`, draft.notes)}
    <p class="small soft" id="draft-told"></p>
    ${renderOtherComments(draft.anchored, shown)} ${alsoApprove(siblings, ticked)}${renderConfirmation(doubts)}
    <details id="reject">
      <summary>Reject…</summary>
      <div class="inside">
        <p>Rejecting ends the run: no other round follows. Say why in the notes.</p>
        <button class="no" name="decision" value="reject">Reject and end the run</button>
      </div>
    </details>
    ${handSection(hand)}
  </section>`;
}

/** Handing over approves nothing and takes no right away, so a wrong hand is mended by handing on. */
function handSection({ href, names }: GateAnswerInput['hand']): Html | undefined {
  if (names.length === 0) return undefined;
  return html`<details id="hand">
    <summary>Hand it to somebody else…</summary>
    <div class="inside">
      <p>
        The gate then waits for them first, and a notice tells them. This approves nothing, you may still decide, and
        only you see what you wrote.
      </p>
      <p>
        <label for="hand-to">To</label>
        <select id="hand-to" name="to">
          ${names.map((name) => html`<option value="${name}">${name}</option>`)}
        </select>
      </p>
      <p><label for="hand-why">Why, if you like</label></p>
      <p><input type="text" id="hand-why" name="why" maxlength="500" /></p>
      <button name="hand" value="over" data-does="hand" formaction="${href}">Hand it over</button>
    </div>
  </details>`;
}

/** Comments on places without a row on this page: lines of the diff, and rules that did not change. */
function renderOtherComments(anchored: ReadonlyMap<string, string>, shown: ReadonlySet<string>): Html[] {
  const without = [...anchored].filter(([anchor]) => !shown.has(/^R\d+/.exec(anchor)?.[0] ?? ''));
  return without.map(([anchor, text]) => anchoredField(anchor, text));
}

/** The field for the word that approves in spite of doubts; undefined where there are none. */
export function renderConfirmation(doubts: readonly string[]): Html | undefined {
  if (doubts.length === 0) return undefined;
  return html`<div class="confirm">
    ${doubts.map((doubt) => html`<p>${doubt}</p>`)}
    <p>
      <label for="confirm">To approve all the same, type <code>${CONFIRM_WORD}</code></label>
    </p>
    <input
      type="text"
      id="confirm"
      name="confirm"
      data-word="${CONFIRM_WORD}"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
    />
  </div>`;
}

/** At most this many other gates are answered together with this one. */
const MOST_ALSO = 100;

/** Gates are ticked only on request, because reading one gate must not approve several by default. */
function alsoApprove(siblings: readonly WaitingGate[], ticked: boolean): Html | undefined {
  if (siblings.length === 0) return undefined;
  return html`<fieldset>
    <legend>The very same change waits at other gates. If you approve it here, you approve the ticked ones too:</legend>
    ${siblings.slice(0, MOST_ALSO).map(
      ({ key, pack, digest }) =>
        html`<p>
          <label>${tickBox(`${key}.${pack.gate} ${digest}`, ticked)} ${key} ${pack.gate}</label>
          <a href="${gateHref(key, pack.gate)}">read it</a>
        </p>`,
    )}
    ${siblings.length > MOST_ALSO ? html`<p class="soft">${siblings.length - MOST_ALSO} more after these: approve those on their own pages.</p>` : undefined}
  </fieldset>`;
}

const tickBox = (value: string, ticked: boolean): Html =>
  html`<input type="checkbox" name="also" value="${value}" ${ticked ? html`checked` : undefined} />`;

export function answerBar(editHref: string): Html {
  return html`<div class="bar" role="group" aria-label="Decide">
    <div>
      <p class="told" id="told" role="status"></p>
      <button class="yes" id="approve" name="decision" value="approve">Approve<kbd>a</kbd></button>
      <button name="decision" value="request_changes" id="changes">
        <span class="long">Request changes</span><span class="short">Changes</span><kbd>r</kbd>
      </button>
      <a class="button" href="${editHref}" id="edit">Edit<kbd>e</kbd></a>
      <a class="button" href="#reject" id="to-reject">Reject…<kbd>x</kbd></a>
      <span class="hint"
        ><kbd>j</kbd><kbd>k</kbd> rows <kbd>c</kbd> comment <kbd>o</kbd> evidence <kbd>d</kbd> diff
        <kbd>?</kbd> keys</span
      >
    </div>
  </div>`;
}
