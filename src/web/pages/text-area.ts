/** A text area with its text: a browser drops one line feed at its beginning, which might be the text's own. */
import { html, type Html } from '../../report/html/html.ts';

/** `attributes` is markup of ours, such as html`name="comment" rows="3"`. */
export function textArea(attributes: Html, text: string): Html {
  const content = `\n${text}`;
  return html`<textarea ${attributes}>${content}</textarea>`;
}
