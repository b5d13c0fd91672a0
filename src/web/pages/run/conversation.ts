/** Entries of a conversation: what was said, the tool calls with their results, and which images there are. */
import { changesOf } from '../../../context/index.ts';
import type { EntryRecords } from '../../../report/context/entry-records.ts';
import { changeText } from '../../../report/context/context-part-names.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { formatBytes } from '../../../report/text/number-format.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import type { Entry } from '../../../transcript/entry.ts';
import { getResultText } from '../../../transcript/transcript-lines.ts';
import { countImageBytes } from '../../../transcript/images.ts';
import type { Block, ImageBlock, ToolResultBlock } from '../../../transcript/message.ts';
import { shownEntries } from '../../read/read-transcript.ts';

const LIMIT = 1500;

/** `records` are the calls, from which each entry is told its own (S4.6). */
export function renderEntries(entries: readonly Entry[], records: EntryRecords): Html {
  const shown = shownEntries(entries);
  const left = entries.length - shown.length;
  return html`<ol class="talk">
      ${shown.map((entry) => entryItem(entry, records))}
    </ol>
    ${left > 0 ? html`<p class="soft">${left} entries in the middle are not shown; they are in the transcript’s file.</p>` : undefined}`;
}

function entryItem(entry: Entry, records: EntryRecords): Html {
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
  const call = records.answer(entry.id);
  return html`<li class="${kind}" id="${entry.id}">
    <span class="who"
      >${entry.said?.actor ?? (entry.item ?? entry.origin).replaceAll('_', ' ')} ${entry.id}${call && ` · ${call}`}
      <a class="anchor" href="#${entry.id}" aria-label="Link to ${entry.id}">#</a></span
    >
    ${entry.message.content.map((block) => renderContentBlock(block))}
  </li>`;
}

export function renderContentBlock(block: Block): Html {
  switch (block.type) {
    case 'text':
      return html`<p>${clipText(block.text, LIMIT)}</p>`;
    case 'tool_use':
      return renderToolCall(block.name, block.input);
    case 'tool_result':
      return renderToolResult(block);
    case 'thinking':
      return block.thinking === '' ? html`` : html`<p class="soft">(thinking) ${clipText(block.thinking, LIMIT)}</p>`;
    case 'image':
      return describeImage(block);
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

function renderToolResult(block: ToolResultBlock): Html {
  const text = getResultText(block);
  const images = Array.isArray(block.content) ? block.content.filter((part) => part.type === 'image') : [];
  return html`${block.is_error === true ? html`<span class="pill bad">error</span>` : undefined}
  ${text === '' && images.length > 0 ? undefined : html`<pre tabindex="0">${clipText(text, LIMIT)}</pre>`}
  ${images.map((image) => describeImage(image))}`;
}

/** A picture is named and not shown: its bytes are at `transcripts/images/<hash>` of the run or session. */
function describeImage(block: ImageBlock): Html {
  const { source } = block;
  const place = source.type === 'stored' ? html`, <code>transcripts/images/${source.sha256}</code>` : undefined;
  return html`<p class="small soft">Picture: ${source.media_type}, ${formatBytes(countImageBytes(block))}${place}</p>`;
}
