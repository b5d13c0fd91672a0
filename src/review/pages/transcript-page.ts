/** An agent's conversation: its context over time, what each compaction stands for, and what was said and called. */
import { count, tokens, usd } from '../../report/figures.ts';
import { html, type Html } from '../../report/html/html.ts';
import { clip } from '../../report/sanitise.ts';
import type { CompactionEntry, Entry } from '../../transcript/entry.ts';
import { resultText } from '../../transcript/lines.ts';
import type { Block } from '../../transcript/message.ts';
import { contextPoints, partsOf, type TranscriptPart } from '../read/read-transcript.ts';
import { contextChart } from './context-chart.ts';
import { runHref } from './evidence.ts';

const LIMIT = 1500;
/** Entries a part shows; the rest stands in the transcript's file. */
const MOST = 120;

export type TranscriptPage = {
  key: string;
  agent: string;
  agents: readonly string[];
  entries: readonly Entry[];
  spentUsd: number;
};

export function transcriptPage({ key, agent, agents, entries, spentUsd }: TranscriptPage): Html {
  const parts = partsOf(entries);
  const folded = parts.length - 1;
  return html`<header>
      <p class="brand">Conversation</p>
      <h1>${agent}</h1>
      <p class="meta">
        <span>${count(entries.length, 'entry', 'entries')}</span><span>${count(folded, 'compaction')}</span
        ><span>${usd(spentUsd)}</span><a href="${runHref(key)}">The run</a>
        ${agents.filter((one) => one !== agent).map((one) => html`<a href="${runHref(key)}/transcripts/${one}">${one}</a>`)}
      </p>
    </header>
    <section class="card">
      <h2>Context over time</h2>
      ${contextChart(contextPoints(entries)) ?? html`<p class="soft">Not enough calls for a picture.</p>`}
    </section>
    ${parts.map(partSection)}`;
}

function partSection(part: TranscriptPart): Html {
  if (part.kind === 'open') {
    return html`<section class="card">
      <h2>What the model still sees word for word</h2>
      ${talk(part.entries)}
    </section>`;
  }
  const { compaction, entries } = part;
  const { tokensBefore, tokensAfter } = compaction.receipt;
  return html`<section class="card" id="${compaction.id}" data-row tabindex="-1">
    <h2>Compacted: ${tokens(tokensBefore)} → ${tokens(tokensAfter)} tokens</h2>
    ${receipt(compaction)}
    <details>
      <summary>The summary that stands for it now</summary>
      <pre class="inside">${clip(compaction.summary, 12_000)}</pre>
    </details>
    <details>
      <summary>
        ${count(entries.length, 'entry', 'entries')} that the model does not see any more, through
        ${compaction.coversThrough}
      </summary>
      ${talk(entries)}
    </details>
  </section>`;
}

function receipt({
  receipt: { reason, stepsSummarised, stepsKept, cacheTokensLost, decisions },
}: CompactionEntry): Html {
  return html`<p class="small soft">
      ${reason} · ${count(stepsSummarised, 'step')} summarised, ${stepsKept} kept · ${tokens(cacheTokensLost)} cached
      tokens given up
    </p>
    <ul class="plain-list small">
      ${decisions.map(({ pass, detail, tokens: gained }) => html`<li><code>${pass}</code> ${detail} (${tokens(gained)} tokens)</li>`)}
    </ul>`;
}

function talk(entries: readonly Entry[]): Html {
  const left = entries.length - MOST;
  const shown = left > 0 ? [...entries.slice(0, MOST / 2), ...entries.slice(-MOST / 2)] : entries;
  return html`<ol class="talk">
      ${shown.map(entryItem)}
    </ol>
    ${left > 0 ? html`<p class="soft">${left} entries in the middle are not shown; they stand in the transcript’s file.</p>` : undefined}`;
}

function entryItem(entry: Entry): Html {
  if (entry.type === 'compaction') {
    return html`<li class="fold"><span class="who">${entry.id}</span>Compacted through ${entry.coversThrough}.</li>`;
  }
  if (entry.type === 'compaction_refused') {
    return html`<li class="fold">
      <span class="who">${entry.id}</span>A compaction was refused: ${entry.cause}. ${clip(entry.detail, LIMIT)}
    </li>`;
  }
  if (entry.type !== 'message') {
    const kind = entry.type.replaceAll('_', ' ');
    return html`<li class="fold"><span class="who">${entry.id}</span>${kind}</li>`;
  }
  const isUser = entry.origin === 'human' || entry.origin === 'harness';
  const kind = isUser ? 'user' : entry.origin === 'tools' ? 'call' : '';
  const usage = entry.response?.usage;
  return html`<li class="${kind}">
    <span class="who"
      >${entry.origin} ${entry.id}${usage === undefined ? '' : ` · ${tokens(usage.output_tokens)} tokens out`}</span
    >
    ${entry.message.content.map(blockOf)}
  </li>`;
}

function blockOf(block: Block): Html {
  switch (block.type) {
    case 'text':
      return html`<p>${clip(block.text, LIMIT)}</p>`;
    case 'tool_use':
      return html`<code>${block.name} ${clip(JSON.stringify(block.input), LIMIT)}</code>`;
    case 'tool_result':
      return html`${block.is_error === true ? html`<span class="pill bad">error</span>` : undefined}
        <pre tabindex="0">${clip(resultText(block), LIMIT)}</pre>`;
    case 'thinking':
      return block.thinking === '' ? html`` : html`<p class="soft">(thinking) ${clip(block.thinking, LIMIT)}</p>`;
    case 'image':
      return html`<p class="soft">(image)</p>`;
    default:
      return html``;
  }
}
