/** The sections after the changes: earlier comments, machine checks, the agent's questions. */
import { CASE_CHECKS } from '../../../gate/rules/pack-cases.ts';
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { capitalizeFirst, formatCount } from '../../../report/text/number-format.ts';
import { endsSentence } from '../../../scenario/language/split-text.ts';
import { html, type Html } from '../../../report/html/html.ts';
import type { GateComment } from '../../../run/exchanges.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import { gateHref } from '../page-links.ts';
import { momentText, personText } from '../time-texts.ts';
import { earlierComments } from '../design/earlier-comments.ts';
import { textArea } from '../text-area.ts';

/** Comments that were not addressed come first, because a reviewer returns to check these. */
export function commentsSection({ comments: all }: ReviewPack, shown: ReadonlySet<string>): Html | undefined {
  // A comment on a rule that has a row stands in that row.
  const comments = all.filter(({ anchor }) => !shown.has(/^R\d+/.exec(anchor ?? '')?.[0] ?? ''));
  if (comments.length === 0) return undefined;
  const weight = ({ addressed, note }: ReviewPack['comments'][number]) => (note === true ? 2 : Number(addressed));
  const ordered = comments.toSorted((one, other) => weight(one) - weight(other));
  return html`<section class="card" aria-labelledby="comments-title">
    <h2 id="comments-title">What reviewers said before</h2>
    ${earlierComments(ordered, true)}
  </section>`;
}

/** These comments decide nothing: a reviewer may take one over into the notes, and so makes it their own. */
export function saidSection(said: readonly GateComment[], key: string, inForm: boolean): Html | undefined {
  if (said.length === 0) return undefined;
  const item = ({ actor, at, comment, gate, seq, to }: GateComment) => {
    const isAgent = actor.startsWith('agent:');
    const use = html`<button class="plain-link" name="use" value="${seq}" formaction="${gateHref(key, gate)}/use#notes">
      use as comment
    </button>`;
    return html`<div class="said" id="said-${seq}">
      ${to === undefined ? undefined : html`<p>Handed to <strong>${to}</strong>.</p>`}
      ${comment === '' ? undefined : html`<p class="quote">“${clipText(comment, MOST_SAID)}”</p>`}
      <p class="small soft">
        <span class="pill ${isAgent ? 'warn' : 'plain'}">${isAgent ? 'an agent' : 'a colleague'}</span>
        ${personText(actor)} · ${momentText(at)} ${inForm && comment !== '' ? use : undefined}
      </p>
    </div>`;
  };
  return html`<section class="card" aria-labelledby="said-title">
    <h2 id="said-title">Said at this gate</h2>
    <p class="soft small">
      Read it as you would a letter: it decides nothing, and neither agent of this run reads it unless you use it.
    </p>
    ${said.map(item)}
  </section>`;
}

const MOST_SAID = 4000;

function listDisputes({ checks, cases }: ReviewPack) {
  const found = (cases?.findings ?? []).filter(({ kind }) => kind !== 'subsumed');
  return { found, failed: checks.filter(({ name, ok }) => !ok && !CASE_CHECKS.includes(name)) };
}

export function isDisputed(pack: ReviewPack): boolean {
  const { found, failed } = listDisputes(pack);
  return found.length + failed.length > 0;
}

/** The problems come first: cases with two demands or none (one case in words), then findings of other checks. */
export function disputedSection(pack: ReviewPack): Html | undefined {
  const { checks } = pack;
  if (checks.length === 0) return undefined;
  const { found, failed } = listDisputes(pack);
  const fine = checks.filter(({ ok, skipped }) => ok && skipped === undefined);
  const skipped = checks.filter((one) => one.skipped === true);
  return html`<section class="card" aria-labelledby="disputed-title">
    <h2 id="disputed-title">${!isDisputed(pack) ? 'Nothing disputed' : 'Disputed'}</h2>
    <ul class="checks">
      ${found.map(
        ({ kind, text, example }) =>
          html`<li>
            <span class="pill bad">${kind}</span>
            <div>
              ${text}${
                example === undefined
                  ? undefined
                  : html`<details class="small">
                      <summary>example</summary>
                      <p>${example}</p>
                    </details>`
              }
            </div>
          </li>`,
      )}${failed.map(failedLine)}${skipped.map(({ name, detail }) => checkLine('not checked', name, detail))}
    </ul>
    ${
      fine.length === 0
        ? undefined
        : html`<details>
            <summary>${formatCount(fine.length, 'check')} passed</summary>
            <ul class="checks inside">
              ${fine.map(({ name, detail }) => checkLine('ok', name, detail))}
            </ul>
          </details>`
    }
  </section>`;
}

/** The name says what should be so; what is not so is the thing to read. */
function failedLine({ name, detail }: ReviewPack['checks'][number]): Html {
  const found = clipText(capitalizeFirst(detail), MOST_FOUND).split(' · ');
  return html`<li>
    <span class="pill warn">check this</span>
    <div>
      ${found.map((one) => html`<p>${one}${endsSentence(one) ? '' : '.'}</p>`)}
      <p class="soft small">This check failed: ${name}.</p>
    </div>
  </li>`;
}

const MOST_FOUND = 900;

const TONES = { ok: 'good', 'not checked': 'plain' } as const;

function checkLine(word: keyof typeof TONES, name: string, detail: string): Html {
  const found = detail === '' ? undefined : html`<span class="soft">: ${clipText(detail, MOST_FOUND)}</span>`;
  return html`<li><span class="pill ${TONES[word]}">${word}</span><span>${name}${found}</span></li>`;
}

export const ANSWERS = ['yes', 'no', 'out of scope'] as const;

/** `answers` are the unsent answers, by field. */
export function questionsSection(
  { questions }: ReviewPack,
  writable: boolean,
  answers: ReadonlyMap<string, string>,
): Html | undefined {
  if (questions.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="questions-title">
    <h2 id="questions-title">The agent asks you</h2>
    ${questions.map((question, index) => {
      const number = index + 1;
      if (!writable) return html`<p>${number}. ${question}</p>`;
      const name = `q${number}`;
      return html`<fieldset class="row" data-row tabindex="-1">
        <legend>${number}. ${question}</legend>
        <div class="choices">
          ${ANSWERS.map((answer) => html`<label><input type="radio" name="${name}" value="${answer}" ${answers.get(name) === answer ? html`checked` : undefined} /> ${answer}</label>`)}
        </div>
        ${textArea(
          html`name="${name}.more" rows="1" maxlength="1000" placeholder="more, if you like" aria-label="More on
          question ${number}"`,
          answers.get(`${name}.more`) ?? '',
        )}
      </fieldset>`;
    })}
  </section>`;
}
