/** An agent's conversation: its context over time, what each compaction summarises, and its messages and tool calls. */
import { renderCallsChart } from '../../../report/html/context-chart.ts';
import { entryRecords, type EntryRecords } from '../../../report/context/entry-records.ts';
import { formatCount, paidText, type PaidAmount } from '../../../report/text/number-format.ts';
import { html, type Html, renderPlainList } from '../../../report/html/html.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import type { CallRecord } from '../../../transcript/call-record.ts';
import type { Entry } from '../../../transcript/entry.ts';
import { splitTranscript, type TranscriptPart } from '../../read/read-transcript.ts';
import { renderLiveStatus, renderPageHeader } from '../layout.ts';
import { runHref } from '../page-links.ts';
import { renderEntries } from './conversation.ts';

const LIMIT = 1500;

export type TranscriptPage = {
  key: string;
  agent: string;
  agents: readonly string[];
  entries: readonly Entry[];
  /** Lanes of the whole transcript; a sub-agent's lane has a page of its own. */
  lanes: readonly string[];
  calls: readonly CallRecord[];
  spent: PaidAmount;
  /** The status of the run. */
  status: string;
};

export function transcriptPage({ key, agent, agents, entries, lanes, calls, spent, status }: TranscriptPage): Html {
  const shown = new Set(entries.map(({ lane }) => lane));
  const own = calls.filter(({ lane }) => shown.has(lane));
  const records = entryRecords(own);
  const parts = splitTranscript(entries);
  const folded = parts.length - 1;
  const meta = html`<span>${formatCount(entries.length, 'entry', 'entries')}</span
    ><span>${formatCount(folded, 'compaction')}</span><span>${paidText(spent)}</span
    ><a href="${runHref(key)}">The run</a>
    ${agents.filter((one) => one !== agent).map((one) => html`<a href="${runHref(key)}/transcripts/${one}">${one}</a>`)}
    ${lanes.length < 2 ? [] : lanes.map((lane) => html`<a href="${runHref(key)}/transcripts/${agent}?lane=${encodeURIComponent(lane)}">${lane}</a>`)}`;
  return html`${renderPageHeader({ brand: 'Conversation', title: agent }, meta, renderLiveStatus(status))}
    <section class="card">
      <h2>Context over time</h2>
      ${renderCallsChart(own, agent) ?? html`<p class="soft">No call was answered yet.</p>`}
      ${renderUnanswered(records)}
    </section>
    ${parts.map((part) => partSection(part, records, parts.length === 1))}`;
}

export function partSection(part: TranscriptPart, records: EntryRecords, isWhole = false): Html {
  if (part.kind === 'open') {
    return html`<section class="card">
      <h2>${isWhole ? 'What was said' : 'What the model still sees word for word'}</h2>
      ${renderEntries(part.entries, records)}
    </section>`;
  }
  const { compaction, entries } = part;
  const made = records.compaction(compaction.id);
  return html`<section class="card" id="${compaction.id}" data-row tabindex="-1">
    <h2>Compacted${made && `: ${made.sizes}`}</h2>
    ${made && renderReceipt(made)}
    <details>
      <summary>The summary that replaces it now</summary>
      <pre class="inside">${clipText(compaction.summary, 12_000)}</pre>
    </details>
    <details>
      <summary>
        ${formatCount(entries.length, 'entry', 'entries')} that the model does not see any more, through
        ${compaction.coversThrough}
      </summary>
      ${renderEntries(entries, records)}
    </details>
  </section>`;
}

function renderReceipt({ receipt: text, attempts }: NonNullable<ReturnType<EntryRecords['compaction']>>): Html {
  return html`<p class="small soft">${text}</p>
    ${renderPlainList(attempts, 'small')}`;
}

function renderUnanswered({ unanswered: calls }: EntryRecords): Html | undefined {
  if (calls.length === 0) return undefined;
  return html`<h3>Calls without an answer</h3>
    ${renderPlainList(
      calls.map((call) => clipText(call, LIMIT)),
      'small',
    )}`;
}
