/** The head of the decision screen: which design it is, and whether it still waits, for whom. */
import { standingText } from '../../../gate/rules/quorum.ts';
import { html, type Html } from '../../../report/html/html.ts';
import type { Handover } from '../../../run/exchanges.ts';
import type { GateView } from '../../read/read-gate.ts';
import { runHref } from '../page-links.ts';
import { DECIDED, handoverText, momentText, personText, waitText } from '../time-texts.ts';
import { renderAlert } from '../layout.ts';

export type GateOpening = {
  key: string;
  view: GateView;
  now: Date;
  expiresAt: string | undefined;
  handover: Handover | undefined;
};

/** `form` is there when this visitor may answer, else `why` says why not. */
export type GateStatusInput = { view: GateView; why: string; form: object | undefined };

export function gateOpening({ key, view: { pack, open }, now, expiresAt, handover }: GateOpening): Html {
  const waiting = open === undefined ? undefined : waitText(now.getTime() - Date.parse(open.openedAt));
  return html`<header>
    <p class="brand">Approval ${pack.gate.replace(/\.r\d+$/, '')}, round ${pack.round}</p>
    <h1>${pack.title}</h1>
    <p class="meta">
      ${waiting === undefined ? undefined : html`<span>waiting ${waiting}</span>`}
      ${handover === undefined || open === undefined ? undefined : html`<span>${handoverText(handover, now)}</span>`}
      ${expiresAt === undefined ? undefined : html`<span>expires ${momentText(expiresAt)}, which never approves</span>`}
      <span><code>${pack.scenario}</code> <a href="${runHref(key)}" title="the run so far">${key}</a></span
      >${pack.author === 'agent:init' ? undefined : html`<span>by ${pack.author}</span>`}
      ${pack.simulated === true ? html`<span class="pill loud">SIMULATED</span>` : undefined}
    </p>
  </header>`;
}

/** Whether it still waits, and for whom: decided elsewhere is shown, never hidden. */
export function gateStatus({ view: { open, decisions, edit, state, pack }, why, form }: GateStatusInput): Html {
  const decided = decisions.map((one) =>
    renderAlert(
      one.decision === 'reject' ? 'bad' : one.decision === 'request_changes' ? 'warn' : 'good',
      `${personText(one.actor)} ${DECIDED[one.decision] ?? one.decision}, ${momentText(one.ts)}, through the ${one.via === 'cli' ? 'command line' : one.via}`,
      ...(one.comment.trim() === '' ? [] : [html`“${one.comment}”`]),
    ),
  );
  if (open === undefined) {
    const title = `This gate does not wait: the run is ${state.status.replaceAll('_', ' ')}.`;
    const closed = renderAlert('warn', title, `You can read ${pack.gate}, but nobody can answer it.`);
    return decisions.length === 0 ? closed : html`${decided}`;
  }
  const quorum = open.need > 1 ? renderAlert('plain', standingText(open)) : undefined;
  const title = edit && `${personText(edit.by)} edited this design. You decide on the edited one.`;
  const edited = edit && renderAlert('warn', title ?? '', `It is in ${edit.dir}; its changes are marked below.`);
  const denied = form === undefined ? renderAlert('plain', 'You can read this, but not decide it.', why) : undefined;
  return html`${decided}${quorum}${edited}${denied}`;
}
