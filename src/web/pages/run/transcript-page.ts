/** An agent's conversation: its context over time, what each compaction summarises, and its messages and tool calls. */
import { changesOf } from '../../../context/index.ts';
import { entryRecords, type EntryRecords } from '../../../report/context/entry-records.ts';
import { changeText } from '../../../report/context/context-part-names.ts';
import { formatCount, paidText, type PaidAmount } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import type { CallRecord } from '../../../transcript/call-record.ts';
import type { Entry } from '../../../transcript/entry.ts';
import { getResultText } from '../../../transcript/transcript-lines.ts';
import { countImageBytes } from '../../../transcript/images.ts';
import type { Block, ImageBlock, ToolResultBlock } from '../../../transcript/message.ts';
import { imageHash, type PictureFaults } from '../../read/read-images.ts';
import { contextPoints, splitTranscript, shownEntries, type TranscriptPart } from '../../read/read-transcript.ts';
import { contextChartFigure } from './context-chart.ts';
import { runHref } from '../page-links.ts';

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
  /** Reasons why some images cannot be shown. */
  faults: PictureFaults;
  /** The status of the run. */
  status: string;
};

/** The page data that entries need: image addresses, image faults, and the record of calls for each entry (S4.6). */
type EntryContext = { href: string; faults: PictureFaults; records: EntryRecords };

export function transcriptPage({
  key,
  agent,
  agents,
  entries,
  lanes,
  calls,
  spent,
  faults,
  status,
}: TranscriptPage): Html {
  const shown = new Set(entries.map(({ lane }) => lane));
  const own = calls.filter(({ lane }) => shown.has(lane));
  const records = entryRecords(own);
  const place = { href: `${runHref(key)}/transcripts/${agent}/images`, faults, records };
  const parts = splitTranscript(entries);
  const folded = parts.length - 1;
  return html`<header>
      <p class="brand">Conversation</p>
      <h1>${agent}</h1>
      <p class="meta">
        <span>${formatCount(entries.length, 'entry', 'entries')}</span><span>${formatCount(folded, 'compaction')}</span
        ><span>${paidText(spent)}</span><a href="${runHref(key)}">The run</a>
        ${agents.filter((one) => one !== agent).map((one) => html`<a href="${runHref(key)}/transcripts/${one}">${one}</a>`)}
        ${lanes.length < 2 ? [] : lanes.map((lane) => html`<a href="${runHref(key)}/transcripts/${agent}?lane=${encodeURIComponent(lane)}">${lane}</a>`)}
      </p>
      <p class="live" aria-live="polite">
        <span data-news="status">${status.replaceAll('_', ' ')}</span><span class="soft" data-news="work"></span>
      </p>
    </header>
    <section class="card">
      <h2>Context over time</h2>
      ${contextChartFigure(contextPoints(own)) ?? html`<p class="soft">Not enough calls for a picture.</p>`}
      ${renderUnanswered(records)}
    </section>
    ${parts.map((part) => partSection(part, place))}`;
}

function partSection(part: TranscriptPart, place: EntryContext): Html {
  if (part.kind === 'open') {
    return html`<section class="card">
      <h2>What the model still sees word for word</h2>
      ${renderEntries(part.entries, place)}
    </section>`;
  }
  const { compaction, entries } = part;
  const made = place.records.compaction(compaction.id);
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
      ${renderEntries(entries, place)}
    </details>
  </section>`;
}

function renderReceipt({ receipt: text, attempts }: NonNullable<ReturnType<EntryRecords['compaction']>>): Html {
  return html`<p class="small soft">${text}</p>
    <ul class="plain-list small">
      ${attempts.map((one) => html`<li>${one}</li>`)}
    </ul>`;
}

function renderUnanswered({ unanswered: calls }: EntryRecords): Html | undefined {
  if (calls.length === 0) return undefined;
  return html`<h3>Calls without an answer</h3>
    <ul class="plain-list small">
      ${calls.map((call) => html`<li>${clipText(call, LIMIT)}</li>`)}
    </ul>`;
}

function renderEntries(entries: readonly Entry[], place: EntryContext): Html {
  const shown = shownEntries(entries);
  const left = entries.length - shown.length;
  return html`<ol class="talk">
      ${shown.map((entry) => entryItem(entry, place))}
    </ol>
    ${left > 0 ? html`<p class="soft">${left} entries in the middle are not shown; they are in the transcript’s file.</p>` : undefined}`;
}

function entryItem(entry: Entry, place: EntryContext): Html {
  if (entry.type === 'compaction') {
    return html`<li class="fold"><span class="who">${entry.id}</span>Compacted through ${entry.coversThrough}.</li>`;
  }
  if (entry.type === 'compaction_refused') {
    return html`<li class="fold">
      <span class="who">${entry.id}</span>A compaction was refused: ${entry.cause}. ${clipText(entry.detail, LIMIT)}
    </li>`;
  }
  if (entry.type !== 'message') {
    const changes = changesOf([entry]).map((change) => changeText(change));
    return html`<li class="fold"><span class="who">${entry.id}</span>${changes.join('; ')}</li>`;
  }
  const isUser = entry.origin === 'human' || entry.origin === 'harness';
  const kind = isUser ? 'user' : entry.origin === 'tools' ? 'call' : '';
  const call = place.records.answer(entry.id);
  return html`<li class="${kind}" id="${entry.id}">
    <span class="who"
      >${entry.said?.actor ?? (entry.item ?? entry.origin).replaceAll('_', ' ')} ${entry.id}${call && ` · ${call}`}
      <a class="anchor" href="#${entry.id}" aria-label="Link to ${entry.id}">#</a></span
    >
    ${entry.message.content.map((block) => renderContentBlock(block, entry.id, place))}
  </li>`;
}

function renderContentBlock(block: Block, entry: string, place: EntryContext): Html {
  switch (block.type) {
    case 'text':
      return html`<p>${clipText(block.text, LIMIT)}</p>`;
    case 'tool_use':
      return renderToolCall(block.name, block.input);
    case 'tool_result':
      return renderToolResult(block, entry, place);
    case 'thinking':
      return block.thinking === '' ? html`` : html`<p class="soft">(thinking) ${clipText(block.thinking, LIMIT)}</p>`;
    case 'image':
      return pictureFigure(block, { ...place, entry });
    default:
      return html``;
  }
}

/** Texts of several lines, such as a file that is written, are shown as they are; the other fields are on one line. */
function renderToolCall(name: string, input: unknown): Html {
  const fields = typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  const texts = fields.filter(([, value]) => typeof value === 'string' && value.includes('\n'));
  const known = new Set(texts.map(([key]) => key));
  const rest = texts.length === 0 ? input : Object.fromEntries(fields.filter(([key]) => !known.has(key)));
  return html`<code>${name} ${clipText(JSON.stringify(rest), LIMIT)}</code> ${texts.map(
      ([key, value]) =>
        html`<p class="small soft">${key}</p>
          <pre tabindex="0">${clipText(String(value), LIMIT)}</pre>`,
    )}`;
}

function renderToolResult(block: ToolResultBlock, entry: string, place: EntryContext): Html {
  const text = getResultText(block);
  const images = Array.isArray(block.content) ? block.content.filter((part) => part.type === 'image') : [];
  return html`${block.is_error === true ? html`<span class="pill bad">error</span>` : undefined}
  ${text === '' && images.length > 0 ? undefined : html`<pre tabindex="0">${clipText(text, LIMIT)}</pre>`}
  ${images.map((image) => pictureFigure(image, { ...place, entry }))}`;
}

/** `href` is the folder of the transcript's images. */
type PictureContext = { href: string; faults: PictureFaults; entry: string };

function pictureFigure(block: ImageBlock, { href, faults, entry }: PictureContext): Html {
  const fault = faults.get(block);
  const caption = `${block.source.media_type}, ${formatBytes(countImageBytes(block))}`;
  if (fault !== undefined) {
    return html`<p class="picture-gone">
      <span class="pill warn">no picture</span> <span>${caption}: ${fault}</span>
    </p>`;
  }
  const address = `${href}/${imageHash(block)}`;
  return html`<figure class="picture">
    <a href="${address}"><img src="${address}" alt="Picture in ${entry}" loading="lazy" decoding="async" /></a>
    <figcaption class="small soft">${caption}</figcaption>
  </figure>`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
