/** People answer graders' questions: the list of open ones, and one whose verdict appears only after the answer. */
import { formatCount } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import type { LabelTask } from '../../../pipeline/evaluation/settled-results.ts';
import type { Label } from '../../../scenario/label.ts';
import type { Verdict } from '../../../scenario/result.ts';
import { labelHref, resultsHref, runHref, objectionHref } from '../page-links.ts';
import { renderPageHeader, renderAlert } from '../layout.ts';
import { textArea } from '../text-area.ts';
import { verdictList } from './verdict-list.ts';

const LIMIT = 4000;
/** Questions on one page. */
const MOST = 200;

export type LabelsPage = {
  key: string;
  iteration: number;
  /** Questions that this person has not answered. */
  open: readonly LabelTask[];
  all: number;
};

export function labelsPage({ key, iteration, open, all }: LabelsPage): Html {
  const byGrader = [...Map.groupBy(open.slice(0, MOST), ({ grader }) => grader.id)];
  const title = open.length === 0 ? 'You have answered everything' : `${formatCount(open.length, 'question')} for you`;
  const meta = html`<a href="${runHref(key)}">The run</a><a href="${resultsHref(key)}">All results</a
    ><span>${all - open.length} of ${all} answered</span>`;
  const why = html`<p class="soft">
    You read a conversation and answer the question of its grader. What the grader said is shown afterwards: your
    answers say how far it can be believed.
  </p>`;
  return html`${renderPageHeader({ brand: `Labels · iteration ${iteration}`, title }, meta, why)}
  ${byGrader.map(
    ([grader, tasks]) =>
      html`<section class="card">
        <h2>${grader}</h2>
        <p>${clipText(tasks[0]?.grader.question ?? '', LIMIT)}</p>
        <ul class="plain-list">
          ${tasks.map(
            ({ name }) =>
              html`<li data-row tabindex="-1">
                <a class="proof" href="${labelHref(key, iteration, { grader, name })}">${name}</a>
              </li>`,
          )}
        </ul>
      </section>`,
  )}
  ${open.length > MOST ? html`<p class="soft">${open.length - MOST} more follow.</p>` : undefined}`;
}

export type LabelPage = {
  key: string;
  iteration: number;
  task: LabelTask;
  /** This reader's newest label; undefined while the question is open. */
  own: Label | undefined;
  /** The grader's verdict; shown only together with `own`. */
  verdict: Verdict;
  next: string | undefined;
  /** Undefined for a reader who may not label; then there is no form. */
  form: string | undefined;
  fault?: string | undefined;
  typed?: { verdict: string; reason: string };
};

export function labelPage(page: LabelPage): Html {
  const { key, iteration, task, own, next } = page;
  const { id, question, pass_when, fail_when } = task.grader;
  const meta = html`<code>${task.name}</code
    ><a href="${runHref(key)}/labels?iteration=${iteration}">All questions</a>
    ${next === undefined ? undefined : html`<a id="next" href="${next}">next question ›</a>`}`;
  return html`${renderPageHeader({ brand: `Label · ${id}`, title: clipText(question, LIMIT) }, meta)}
    <section class="card">
      <dl class="facts">
        <dt>pass when</dt>
        <dd>${clipText(pass_when, LIMIT)}</dd>
        <dt>fail when</dt>
        <dd>${clipText(fail_when, LIMIT)}</dd>
      </dl>
    </section>
    <section class="card">
      <h2>What happened</h2>
      <ol class="talk">
        ${task.text.split('\n').map(recordItem)}
      </ol>
    </section>
    ${own === undefined ? answerForm(page) : renderAnswered(page, own)}`;
}

function recordItem(line: string): Html {
  const [[who, said] = ['', ''], ...rest] = Object.entries(JSON.parse(line) as Record<string, unknown>);
  const text = (value: unknown) => clipText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), LIMIT);
  return html`<li class="${who.startsWith('user') ? 'user' : who.endsWith('calls') ? 'call' : ''}">
    <span class="who">${who.replaceAll('_', ' ')}</span>
    <p>${text(said)}</p>
    ${rest.map(([name, value]) => html`<p class="small"><span class="soft">${name}</span> ${text(value)}</p>`)}
  </li>`;
}

function answerForm({ key, iteration, task, form, fault, typed }: LabelPage): Html {
  if (form === undefined)
    return renderAlert('plain', 'You may read this, and not label it.', 'config/reviewers.yaml lists who may.');
  const radio = (value: string, words: string) =>
    html`<label
      ><input
        type="radio"
        name="verdict"
        value="${value}"
        ${typed?.verdict === value ? html`checked` : undefined}
        required
      />
      ${words}</label
    >`;
  return html`${fault === undefined ? undefined : renderAlert('bad', 'Nothing was written.', fault)}
    <form method="post" action="${labelHref(key, iteration, { grader: task.grader.id, name: task.name })}" class="card">
      <input type="hidden" name="form" value="${form}" />
      <fieldset class="choices">
        <legend>Your answer</legend>
        ${radio('pass', 'pass')}${radio('fail', 'fail')}
      </fieldset>
      <p><label for="reason">Why</label></p>
      ${textArea(html`id="reason" name="reason" rows="3" maxlength="2000" required`, typed?.reason ?? '')}
      <p><button class="yes">Save my answer</button></p>
      <p class="small soft">Your name, answer and reason become a label of the scenario, which anybody can read.</p>
    </form>`;
}

function renderAnswered({ key, iteration, task, verdict, next }: LabelPage, own: Label): Html {
  const agrees = (own.verdict === 'pass') === verdict.pass;
  return html`<section class="card">
    <h2>${agrees ? 'You and the grader agree' : 'You and the grader disagree'}</h2>
    <p>You said <strong>${own.verdict}</strong>: ${clipText(own.reason, LIMIT)}</p>
    ${verdictList([verdict])}
    <p class="choices">
      ${next === undefined ? undefined : html`<a class="button" href="${next}">Next question</a>`}
      ${agrees ? undefined : html`<a class="button" href="${objectionHref(key, iteration, task.sample)}?trial=${task.trial}&grader=${task.grader.id}">Send to Execute</a>`}
    </p>
  </section>`;
}
