/** All gates that wait, those of this visitor first, each oldest first; gates with the same change appear together. */
import { formatCount, formatUsd } from '../../report/text/number-format.ts';
import { html, type Html } from '../../report/html/html.ts';
import { designText } from '../../report/gate/review-texts.ts';
import type { Unreadable, WaitingGate } from '../read/open-gates.ts';
import { listApprovalDoubts } from '../../report/gate/approval-doubts.ts';
import { batchHref, gateHref } from './page-links.ts';
import { handoverText, waitText } from './time-texts.ts';
import { renderAlert } from './layout.ts';
import { renderPager } from './results/pager.ts';

type GateGroup = readonly WaitingGate[];

export type QueuePage = {
  /** Each group has the gates that one decision can answer; `others` wait for somebody else. */
  groups: { mine: readonly GateGroup[]; others: readonly GateGroup[] };
  /** The part shown of all waiting gates, in the order of waiting: at most `most`, from number `from` on. */
  part: { from: number; most: number; all: number };
  unreadable: readonly Unreadable[];
  /** The batch of each run, by run folder. */
  batches: ReadonlyMap<string, string>;
  now: Date;
};

export function queuePage({ groups, part, unreadable, batches, now }: QueuePage): Html {
  const { mine, others } = groups;
  const waiting = Math.max(part.all, mine.flat().length + others.flat().length);
  const count = `${formatCount(waiting, 'design')} ${waiting === 1 ? 'waits' : 'wait'}`;
  const title = waiting === 0 ? 'Nothing waits for you' : `${count} for a decision`;
  return html`<header>
      <p class="brand">Waiting for a person</p>
      <h1>${title}</h1>
      ${waiting === 0 ? html`<p class="soft">A design appears here when an Init agent hands it in. <code>tandem run</code> starts one.</p>` : undefined}
    </header>
    ${
      waiting === 0
        ? undefined
        : html`<section class="card" aria-label="Waiting gates">
            ${mine.length === 0 ? html`<p>None of them waits for you.</p>` : groupList(mine, batches, now)}
            ${
              others.length === 0
                ? undefined
                : html`<h2>Waiting for others</h2>
                    ${groupList(others, batches, now)}`
            }
            ${renderPager({ page: Math.floor(part.from / part.most) + 1, pages: Math.max(1, Math.ceil(part.all / part.most)) }, (page) => (page === 1 ? '/' : `/?from=${(page - 1) * part.most}`))}
          </section>`
    }
    ${unreadable.map(({ key, why }) => renderAlert('warn', `Run ${key} cannot be read.`, why))}`;
}

function groupList(groups: readonly GateGroup[], batches: ReadonlyMap<string, string>, now: Date): Html {
  return html`<ol class="queue">
    ${groups.map((group) => groupItem(group, batches, now))}
  </ol>`;
}

function groupItem(group: readonly WaitingGate[], batches: ReadonlyMap<string, string>, now: Date): Html {
  const [first, ...others] = group;
  if (first === undefined) return html``;
  const links = (items: readonly (readonly [href: string, words: string])[]) =>
    items.map(([href, words], index) => html`${index === 0 ? '' : ', '}<a href="${href}">${words}</a>`);
  const same =
    others.length === 0
      ? undefined
      : html`The very same change also waits in
        ${links(others.map(({ key, pack }) => [gateHref(key, pack.gate), key]))}; you can answer them together. `;
  const of = [...new Set(group.flatMap(({ dir }) => batches.get(dir) ?? []))];
  const batch = of.length === 0 ? undefined : html`Part of batch ${links(of.map((id) => [batchHref(id), id]))}.`;
  const also =
    same === undefined && batch === undefined ? undefined : html`<p class="what small also">${same}${batch}</p>`;
  return html`<li>${gateItem(first, now)}${also}</li>`;
}

function gateItem({ key, pack, openedAt, approvals, need, handover }: WaitingGate, now: Date): Html {
  const doubts = listApprovalDoubts(pack).length;
  return html`<a class="item" href="${gateHref(key, pack.gate)}" data-row>
    <span class="name">${pack.title}</span>
    <span class="wait">${waitText(now.getTime() - Date.parse(openedAt))}</span>
    <span class="what">
      ${pack.scenario} · run ${key} · round ${pack.round} · ${designText(pack)} · about
      ${formatUsd(pack.effect.estimateUsd)} still to pay
      ${need > 1 ? html`<span class="pill plain">${approvals.length} of ${need} approvals</span>` : undefined}
      ${handover === undefined ? undefined : html`<span class="pill plain">${handoverText(handover, now)}</span>`}
      ${doubts > 0 ? html`<span class="pill warn">a check found something</span>` : undefined}
      ${pack.questions.length > 0 ? html`<span class="pill plain">${formatCount(pack.questions.length, 'question')}</span>` : undefined}
      ${pack.simulated === true ? html`<span class="pill loud">SIMULATED</span>` : undefined}
    </span>
    <span class="what">${pack.why.text}</span>
  </a>`;
}
