/** Undoing a decision: which ones can be taken back, until when, and the button for it. */
import type { GateDecision } from '../../../gate/rules/gate.ts';
import { html, type Html } from '../../../report/html/html.ts';
import type { UndoneDecision } from '../../../run/state.ts';
import { gateHref } from '../page-links.ts';
import { DECIDED, momentText, personText } from '../time-texts.ts';
import { renderAlert } from '../layout.ts';

export type UndoInput = {
  key: string;
  /** Decisions at this gate that were taken back before. */
  undone: readonly UndoneDecision[];
  decisions: readonly GateDecision[];
  /** The reader as `user:<name>`. */
  actor: string;
  formToken: string;
  /** Number of seconds for which workers leave a decision alone. */
  undoSeconds: number;
  now: Date;
};

export function undoSection(undoing: UndoInput): Html {
  const alerts = undoing.undone.map(undoneAlert);
  if (undoing.decisions.length === 0) return html`${alerts}`;
  return html`${alerts}
    <section class="card undo" aria-labelledby="undo-title">
      <h2 id="undo-title">Second thoughts?</h2>
      ${undoing.decisions.map((decision) => undoForm(decision, undoing))}
    </section>`;
}

/** A decision that was taken back stays visible, although it no longer counts. */
function undoneAlert({ decision, actor, comment, at }: UndoneDecision): Html {
  const what = DECIDED[decision.decision] ?? decision.decision;
  const whose = actor === decision.actor ? 'and took it back' : `; ${personText(actor)} took it back`;
  const title = `${personText(decision.actor)} ${what} ${whose}, ${momentText(at)}`.replace(' ;', ';');
  return renderAlert('plain', title, ...(comment.trim() === '' ? [] : [html`“${comment}”`]));
}

function undoForm(decision: GateDecision, { key, actor, formToken, undoSeconds, now }: UndoInput): Html {
  const mine = decision.actor === actor;
  const what = `${mine ? 'You' : personText(decision.actor)} ${DECIDED[decision.decision] ?? decision.decision}.`;
  return html`<form method="post" action="${gateHref(key, decision.gate)}/undo">
    <input type="hidden" name="form" value="${formToken}" />
    <input type="hidden" name="whose" value="${decision.actor}" />
    <p>${what} ${untilText(decision)} ${graceText(decision, undoSeconds, now)}</p>
    <button name="do" value="undo">Undo${mine ? '' : ` the decision of ${personText(decision.actor)}`}</button>
  </form>`;
}

function untilText({ decision }: GateDecision): string {
  if (decision === 'reject') return 'This can be taken back as long as the run exists.';
  const who = decision === 'request_changes' ? 'Init' : 'Execute';
  return `This can be taken back until ${who} makes its first paid call; the gate then waits again, as it did.`;
}

function graceText({ decision, ts }: GateDecision, undoSeconds: number, now: Date): string {
  const endsMs = Date.parse(ts) + undoSeconds * 1000;
  if (decision === 'reject' || endsMs <= now.getTime()) return '';
  return `No worker begins before ${new Date(endsMs).toISOString().slice(11, 19)} UTC.`;
}
