/** The most important numbers of a page, in large type. */
import { html, type Html } from './html.ts';

export type Tile = readonly [name: string, value: string, below: string];

/** `four`: in a row of four; otherwise as many as fit. */
export function tiles(list: readonly Tile[], kind: '' | 'four' = ''): Html {
  return html`<dl class="${kind === '' ? 'tiles' : `tiles ${kind}`}">
    ${list.map(
      ([name, value, below]) =>
        html`<div class="tile">
          <dt>${name}</dt>
          <dd>${value}<span>${below}</span></dd>
        </div>`,
    )}
  </dl>`;
}
