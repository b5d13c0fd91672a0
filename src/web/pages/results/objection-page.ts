/** A person says what is wrong with a verdict: the words go into the notes of the gate, and decide nothing. */
import { html, type Html } from '../../../report/html/html.ts';
import { gateHref, sampleHref, objectionHref } from '../page-links.ts';
import { renderAlert } from '../layout.ts';
import { textArea } from '../text-area.ts';

export type ObjectionPage = {
  key: string;
  iteration: number;
  sample: string;
  title: string;
  /** Which trial it is about; empty: the sample. */
  trial: string;
  text: string;
  form: string;
  fault?: string | undefined;
};

export function objectionPage({ key, iteration, sample, title, trial, text, form, fault }: ObjectionPage): Html {
  return html`<header>
      <p class="brand">To Execute · iteration ${iteration}</p>
      <h1>What is wrong with “${title}”?</h1>
      <p class="meta"><a href="${sampleHref(key, iteration, sample)}">Back, without a comment</a></p>
    </header>
    ${fault === undefined ? undefined : renderAlert('bad', 'Nothing was saved.', fault)}
    <form method="post" action="${objectionHref(key, iteration, sample)}" class="card">
      <input type="hidden" name="form" value="${form}" /><input type="hidden" name="trial" value="${trial}" />
      <p><label for="text">Your words</label></p>
      ${textArea(html`id="text" name="text" rows="5" maxlength="2000" required autofocus`, text)}
      <p><button class="yes">Put it into my notes</button></p>
      <p class="small soft">
        They become part of the notes of your next answer at the gate, which both agents read. They approve nothing, and
        no verdict changes.
      </p>
    </form>`;
}

/** `waits`: the gate can be answered now. */
export function objectionSavedPage(
  key: string,
  sample: string,
  { gate, waits }: { gate: string; waits: boolean },
): Html {
  return waits
    ? html`${renderAlert('good', 'It is in your notes.', 'They go to the agents with your answer at the gate.')}
        <p><a class="button" href="${gateHref(key, gate)}#notes">Answer ${gate}</a></p>`
    : html`${renderAlert('good', 'It waits for the next gate of this run.', 'There it is offered to you as written before. If the run ends without another gate, nobody reads it.')}
        <p><a href="${sample}">Back to the sample</a></p>`;
}
