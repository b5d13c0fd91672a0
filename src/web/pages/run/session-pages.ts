/** People's sessions: the list of them, and one that reads like the conversation that it was. */
import { entryRecords } from '../../../report/context/entry-records.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { formatCount, formatUsd } from '../../../report/text/number-format.ts';
import { clipText, shellQuote } from '../../../report/text/sanitise.ts';
import type { CallRecord } from '../../../transcript/call-record.ts';
import type { Entry } from '../../../transcript/entry.ts';
import type { ListedSession } from '../../read/read-person-session.ts';
import { splitTranscript } from '../../read/read-transcript.ts';
import { renderPageHeader, renderQueue, renderQueueItem } from '../layout.ts';
import { sessionHref } from '../page-links.ts';
import { momentText, personText, waitText } from '../time-texts.ts';
import { partSection } from './transcript-page.ts';

/** One line of a list; the whole message is on the page of the session. */
const FIRST_WORDS = 160;

const STATUS_WORDS: Readonly<Record<ListedSession['status'], readonly [tone: string, words: string]>> = {
  live: ['good', 'open now'],
  idle: ['plain', 'waits for the next message'],
  stopped: ['warn', 'stopped during an answer'],
};

export function sessionsPage(sessions: readonly ListedSession[], left: number, now: Date): Html {
  return html`<header>
      <p class="brand">Conversations with an agent</p>
      <h1>${sessions.length === 0 ? 'No sessions yet' : formatCount(sessions.length + left, 'session')}</h1>
      <p class="soft">
        <code>tandem session</code> begins one. What Init and Execute said in a run is linked on the page of the run.
      </p>
    </header>
    ${renderQueue(
      'Sessions',
      sessions.map((session) => sessionItem(session, now)),
    )}
    ${left > 0 ? html`<p class="soft">${formatCount(left, 'older session')} not shown: <code>tandem sessions list</code>.</p>` : undefined}`;
}

function sessionItem({ id, agent, startedBy, lastAt, status, costUsd, turns, said }: ListedSession, now: Date): Html {
  const [tone, words] = STATUS_WORDS[status];
  const name = said === '' ? id : clipText(said, FIRST_WORDS);
  const wait = `${waitText(now.getTime() - Date.parse(lastAt))} ago`;
  const what = html`${agent} with ${personText(startedBy)} · ${formatCount(turns, 'message')} · ${formatUsd(costUsd)}
    <span class="pill ${tone}">${words}</span>`;
  return renderQueueItem({ href: sessionHref(id), name, wait, what });
}

export type SessionPage = {
  session: ListedSession;
  entries: readonly Entry[];
  calls: readonly CallRecord[];
};

export function sessionPage({ session, entries, calls }: SessionPage): Html {
  const { id, agent, startedBy, startedAt, status, costUsd, turns } = session;
  const parts = splitTranscript(entries);
  const records = entryRecords(calls);
  const [tone, words] = STATUS_WORDS[status];
  const meta = html`<code>${id}</code><span>began ${momentText(startedAt)}</span
    ><span>${formatCount(turns, 'message')}</span><span>${formatUsd(costUsd)}</span
    ><span class="pill ${tone}">${words}</span><a href="/sessions">All sessions</a>`;
  return html`${renderPageHeader({ brand: 'Session', title: `${agent} with ${personText(startedBy)}` }, meta)}
  ${status === 'live' ? undefined : html`<p class="next-step"><strong>Go on with it:</strong> <code>tandem session --resume ${shellQuote(id)}</code></p>`}
  ${parts.map((part) => partSection(part, records, parts.length === 1))}`;
}
