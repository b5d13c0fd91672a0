/** The next step of a run, the same on every page that shows it. */
import { html, type Html } from '../../report/html/html.ts';
import type { NextStep } from '../read/next-step.ts';

/** The page's script hides it as soon as work is seen. */
export function nextStepText({ text, command }: NextStep): Html {
  return html`<p class="next-step">
    <strong>${text}</strong> ${command === undefined ? undefined : html`<code>${command}</code>`}
  </p>`;
}
