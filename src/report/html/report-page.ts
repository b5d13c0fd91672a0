/** The frame of every report: one self-contained HTML page. */
import { html, getMarkup, trustMarkup, type Html } from './html.ts';

/** The content security policy: the page loads nothing and runs nothing. */
const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** `style` is the text of `report.css`, which this room cannot read itself. */
export function reportPage({ title, body, style }: { title: string; body: Html; style: string }): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trustMarkup(CONTENT_POLICY)}" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>
          ${trustMarkup(style)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return getMarkup(page);
}
