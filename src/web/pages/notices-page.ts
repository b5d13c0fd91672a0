/** Notices: the channels, and every message that waits or was given up, with its reason. */
import type { Delivery, ListedChannel, ListedNotices } from '../../gate/notices/notice-book.ts';
import { html, type Html, renderDataTable } from '../../report/html/html.ts';

/** The newest ones; `tandem notices` lists all. */
const MOST_ROWS = 200;

export function noticesPage({ channels, undelivered, sent }: ListedNotices): Html {
  const shown = undelivered.slice(-MOST_ROWS).toReversed();
  const more = undelivered.length - shown.length;
  return html`<header>
      <p class="brand">HITL-1</p>
      <h1>Notices</h1>
      <p class="soft">${sent} delivered, ${undelivered.length} not.</p>
    </header>
    <section class="card">
      <h2>Channels</h2>
      ${
        channels.length === 0
          ? html`<p>None is configured: <code>notices</code> in <code>config/reviewers.yaml</code>.</p>`
          : renderDataTable({ label: 'Channels', kind: '' }, ['channel', 'state', 'for'], channels.map(channelRow))
      }
    </section>
    <section class="card">
      <h2>Not delivered</h2>
      ${
        shown.length === 0
          ? html`<p>Everything arrived.</p>`
          : renderDataTable(
              { label: 'Not delivered', kind: '' },
              ['since', 'notice', 'to', 'state', 'why'],
              shown.map(deliveryRow),
            )
      }
      ${more > 0 ? html`<p class="small soft">${more} older ones: <code>tandem notices</code>.</p>` : undefined}
    </section>`;
}

function channelRow({ name, type, kinds, since, fault }: ListedChannel): Html {
  const works = since === undefined ? 'not used yet' : `in use since ${since}`;
  const state =
    fault === undefined
      ? html`${works}`
      : html`<span class="pill bad">takes nothing</span> since ${fault.since}: ${fault.why} Next try at ${fault.until}.`;
  return html`<tr>
    <th scope="row">${name}${name === type ? '' : ` (${type})`}</th>
    <td>${state}</td>
    <td>${kinds.map((kind) => kind.replace('_', ' ')).join(', ')}</td>
  </tr>`;
}

function deliveryRow({ id, channel, to, since, state, tries, why = 'not tried yet' }: Delivery): Html {
  return html`<tr>
    <td>${since}</td>
    <th scope="row">${id}</th>
    <td>${channel}${to === undefined ? '' : ` to ${to}`}</td>
    <td>${state === 'refused' ? `given up after ${tries} tries` : 'waits'}</td>
    <td>${why}</td>
  </tr>`;
}
