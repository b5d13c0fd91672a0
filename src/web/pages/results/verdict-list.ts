/** The verdicts on a trial with reasons; a grader's verdict stays hidden from a person who has yet to label it. */
import { html, type Html } from '../../../report/html/html.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import type { Verdict } from '../../../scenario/result.ts';

const LIMIT = 4000;

/** By trial, the graders whose verdict this reader may not see yet, each with the address of its question. */
export type HiddenVerdicts = ReadonlyMap<number, ReadonlyMap<string, string>>;

export function verdictList(verdicts: readonly Verdict[], hidden?: ReadonlyMap<string, string>): Html {
  return html`<ul class="checks">
    ${verdicts
      .toSorted((one, other) => rankVerdict(one) - rankVerdict(other))
      .map((verdict) => {
        const question = hidden?.get(verdict.checker);
        return question === undefined
          ? renderVerdict(verdict)
          : html`<li>
              <span class="pill plain">hidden</span
              ><span
                ><strong>${verdict.checker}</strong>: a grader has judged this.
                <a href="${question}">Answer its question yourself</a> to see what it said.</span
              >
            </li>`;
      })}
  </ul>`;
}

/** Failures come first; among them the sample's own expectation comes last, as it can only count places. */
const rankVerdict = ({ pass, checker }: Verdict): number => (pass ? 2 : Number(checker === 'expect'));

function renderVerdict({ checker, pass, reason, evidence, broken, grader }: Verdict): Html {
  return html`<li>
    <span class="pill ${pass ? 'good' : 'bad'}">${pass ? 'pass' : 'fail'}</span
    ><span
      ><strong>${checker === 'expect' ? 'expectation' : checker}</strong
      >${broken === true ? ' (the checker broke)' : ''}${grader?.counts === false ? ' (shown, and not counted)' : ''}:
      ${clipText(reason, LIMIT)}
      ${evidence.map((one) => html`<br /><span class="soft small">${clipText(one, LIMIT)}</span>`)}</span
    >
  </li>`;
}
