/** A model's Markdown as plain paragraphs, headings and lists: no links, no images, no markup of its own. */
import { html, type Html } from '../../../report/html/html.ts';

export function prose(text: string): Html {
  const blocks = text.replaceAll('\r\n', '\n').split(/\n{2,}/);
  return html`<div class="prose">${blocks.map((block) => blockOf(block.trim()))}</div>`;
}

function blockOf(block: string): Html {
  if (block === '') return html``;
  const [first = '', ...rest] = block.split('\n');
  if (/^#{1,6} /.test(first)) {
    const heading = html`<h3>${first.replace(/^#+ /, '')}</h3>`;
    return rest.length === 0 ? heading : html`${heading}${blockOf(rest.join('\n').trim())}`;
  }
  const lines = block.split('\n');
  if (/^\s*([-*]|\d+\.) /.test(first))
    return html`<ul class="plain-list">
      ${itemsOf(lines).map((item) => html`<li>${spans(item)}</li>`)}
    </ul>`;
  if (/^(```|\|)/.test(first)) return html`<pre>${block}</pre>`;
  return html`<p>${spans(lines.join(' '))}</p>`;
}

/** A line that begins no item goes on with the one before. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const begun = /^\s*(?:[-*]|\d+\.) (.*)$/.exec(line)?.[1];
    if (begun !== undefined || items.length === 0) items.push(begun ?? line);
    else items[items.length - 1] = `${items.at(-1) ?? ''} ${line.trim()}`;
  }
  return items;
}

function spans(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${strong(part)}`));
}

function strong(text: string): Html[] {
  return text.split('**').map((part, index, all) => {
    const isPair = index % 2 === 1 && index < all.length - 1;
    return isPair ? html`<strong>${part}</strong>` : html`${index % 2 === 1 ? `**${part}` : part}`;
  });
}
