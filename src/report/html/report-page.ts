/** The frame of every report: one self-contained page. */
import { html, markupOf, ownMarkup, type Html } from './html.ts';
import { STYLE } from './style.ts';

/** The page loads nothing and runs nothing, and says so to the browser. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function reportPage(title: string, body: Html): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${ownMarkup(POLICY)}" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>
          ${ownMarkup(STYLE)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return markupOf(page);
}
