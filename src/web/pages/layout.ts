/** The frame around every page: head, navigation, and the only style sheet and module that it may load. */
import { html, getMarkup, type Html } from '../../report/html/html.ts';

export type Frame = {
  title: string;
  /** The name of the signed-in visitor; undefined on the sign-in page. */
  visitor: string | undefined;
  /** Set when the visitor may see only one gate, and so has no other page to go to. */
  alone?: boolean;
  here?: 'queue' | 'runs' | 'batches' | 'sessions';
  /** The address of the event stream that updates the page. */
  live?: string;
  /** True for a conversation, which grows while it is open. */
  grows?: boolean;
  bar?: boolean;
  /** Set while a reviewer practises: said on top of every page. */
  practice?: string | undefined;
  body: Html;
};

export type FrameMarks = {
  nonce: string;
  style: string;
  script: string;
  conversation: string;
  signOutToken: string | undefined;
};

export function framePage(frame: Frame, marks: FrameMarks): string {
  return getMarkup(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width,initial-scale=1" />
          <meta name="robots" content="noindex" />
          <meta name="color-scheme" content="light dark" />
          <title>${frame.title} · Tandem</title>
          <link rel="stylesheet" href="${marks.style}" nonce="${marks.nonce}" />
          <link rel="icon" href="data:," />
          <script type="module" src="${marks.script}" nonce="${marks.nonce}"></script>
          ${frame.grows === true ? html`<script type="module" src="${marks.conversation}" nonce="${marks.nonce}"></script>` : undefined}
        </head>
        <body class="${frame.bar === true ? 'has-bar' : ''}" data-live="${frame.live ?? ''}">
          <a class="skip" href="#main">Skip to the content</a>
          ${renderNavigation(frame, marks.signOutToken)}
          <main id="main" tabindex="-1">
            ${frame.practice === undefined ? undefined : renderAlert('warn', 'Practice', frame.practice)}${frame.body}
          </main>
          ${renderKeyHelp()}
        </body>
      </html> `,
  );
}

function renderNavigation({ visitor, alone, here }: Frame, token: string | undefined): Html | undefined {
  if (visitor === undefined) return undefined;
  const link = (name: Frame['here'], href: string, words: string) =>
    here === name ? html`<a href="${href}" aria-current="page">${words}</a>` : html`<a href="${href}">${words}</a>`;
  const places =
    alone === true
      ? undefined
      : html`${link('queue', '/', 'Waiting')}${link('runs', '/runs', 'Runs')}${link('batches', '/batches', 'Batches')}${link('sessions', '/sessions', 'Sessions')}`;
  const out =
    token === undefined
      ? undefined
      : html`<form method="post" action="/sign-out">
          <input type="hidden" name="form" value="${token}" /><button class="plain-link">sign out</button>
        </form>`;
  return html`<nav class="site" aria-label="Site">
    <div><strong>Tandem review</strong>${places}<span class="soft">${visitor}</span>${out}</div>
  </nav>`;
}

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['j  k', 'next and previous row'],
  ['o', 'open the evidence of the row'],
  ['c', 'comment on the row, or on everything'],
  ['v', 'mark the rule as reviewed'],
  ['a', 'go to Approve; Enter approves'],
  ['y', 'approve rows that were never on the screen'],
  ['r', 'go to Request changes'],
  ['e', 'edit the design, then approve'],
  ['x', 'go to Reject'],
  ['d', 'design and full diff'],
  ['J  K', 'next and previous gate, sample or page'],
  ['?', 'these keys'],
];

function renderKeyHelp(): Html {
  return html`<dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <dl>
      ${KEYS.map(
        ([key, does]) =>
          html`<dt><kbd>${key}</kbd></dt>
            <dd>${does}</dd>`,
      )}
    </dl>
    <form method="dialog"><button>Close</button></form>
  </dialog>`;
}

/** The head of a page: what kind of page it is, its title, the facts and links about it, and what else stands there. */
export function renderPageHeader({ brand, title }: { brand: string; title: string }, meta: Html, below?: Html): Html {
  return html`<header>
    <p class="brand">${brand}</p>
    <h1>${title}</h1>
    <p class="meta">${meta}</p>
    ${below}
  </header>`;
}

/** The state of a run, which the page's script keeps true while it is open; one who sees it said above need not read it twice. */
export function renderLiveStatus(status: string, isSaid = false): Html {
  return html`<p class="live ${isSaid ? 'said' : ''}" aria-live="polite">
    <span class="${isSaid ? 'sr' : ''}" data-news="status">${status.replaceAll('_', ' ')}</span
    ><span class="soft" data-news="work"></span>
  </p>`;
}

/** A message at the top of a page: what went wrong or right, and what to do. */
export function renderAlert(tone: 'good' | 'bad' | 'warn' | 'plain', title: string, ...texts: (string | Html)[]): Html {
  return html`<div class="alert ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">
    <p><strong>${title}</strong></p>
    ${texts.map((text) => html`<p>${text}</p>`)}
  </div>`;
}

type QueueItem = { href: string; name: string; wait: string; what: Html };

/** One link of such a list: its name, how long or how much, and below both what it is. */
export function renderQueueItem({ href, name, wait, what }: QueueItem): Html {
  return html`<li>
    <a class="item" href="${href}" data-row>
      <span class="name">${name}</span><span class="wait">${wait}</span> <span class="what">${what}</span>
    </a>
  </li>`;
}

/** A list of links, each a line or two; undefined when it is empty. */
export function renderQueue(label: string, items: readonly Html[]): Html | undefined {
  if (items.length === 0) return undefined;
  return html`<section class="card" aria-label="${label}">
    <ol class="queue">
      ${items}
    </ol>
  </section>`;
}
