/** The next step of a run, the same on every page that shows it: its sentence, and its button or command. */
import { html, type Html } from '../../report/html/html.ts';
import type { NextStep } from '../../report/run/next-step.ts';
import { gateHref, resultsHref, runHref } from './page-links.ts';

/** `formToken` is absent for readers who may not order the run; `gate` is the one that waits. */
export type NextStepShown = { key: string; step: NextStep; gate: string; formToken: string | undefined };

export function nextStepSection({ key, step, gate, formToken }: NextStepShown): Html {
  const { text, command, button, isIdle } = step;
  const idle = isIdle === true ? 'idle' : '';
  if (button === 'decide' || button === 'results') {
    const [href, words] =
      button === 'decide' ? [gateHref(key, gate), `Decide ${gate}`] : [resultsHref(key), 'All samples'];
    return html`<p class="next-step"><strong>${text}</strong> <a class="button" href="${href}">${words}</a></p>`;
  }
  if (button === undefined || formToken === undefined) {
    return html`<p class="next-step ${idle}"><strong>${text}</strong> <code>${command}</code></p>`;
  }
  return html`<form class="next-step ${idle}" method="post" action="${runHref(key)}/orders">
    <input type="hidden" name="form" value="${formToken}" />
    <p><strong>${text}</strong> <button class="primary" name="do" value="retry">Go on</button></p>
  </form>`;
}
