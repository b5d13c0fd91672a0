/** The panel in which a reviewer questions Init: earlier questions with their answers, and a field for the next one. */
import { formatCount, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import type { Exchange } from '../../../run/exchanges.ts';
import { gateHref } from '../page-links.ts';
import { momentText, personText } from '../time-texts.ts';
import { textArea } from '../text-area.ts';

export type ChatPanel = {
  key: string;
  gate: string;
  exchanges: readonly Exchange[];
  /** Undefined for a visitor who may read the questions but not ask. */
  asking: { nonce: string; formToken: string; draft: string } | undefined;
  /** True when the panel is part of the decision form, so that text in the form's other fields is kept. */
  inForm: boolean;
};

const MOST_CHARS = 20_000;

export function chatPanel(panel: ChatPanel): Html | undefined {
  const { exchanges, asking, inForm } = panel;
  if (asking === undefined && exchanges.length === 0) return undefined;
  const spent = exchanges.reduce((sum, one) => sum + one.usd, 0);
  const soFar =
    exchanges.length === 0 ? '' : ` ${formatCount(exchanges.length, 'question')} so far, ${formatUsd(spent)}.`;
  return html`<section class="card chat" id="chat" aria-labelledby="chat-title">
    <h2 id="chat-title">Ask Init about this design</h2>
    <p class="soft small">
      Answers are paid from the budget of the run and saved with it. Nothing said here changes the design.${soFar}
    </p>
    <ol class="talk" id="chat-talk">
      ${exchanges.map((one) => exchangeItems(one, panel))}
    </ol>
    <p class="small soft" id="chat-told" role="status"></p>
    ${asking === undefined ? undefined : inForm ? renderQuestionFields(asking, panel) : ownForm(asking, panel)}
  </section>`;
}

type ChatFormInput = NonNullable<ChatPanel['asking']>;

function ownForm(asking: ChatFormInput, panel: ChatPanel): Html {
  return html`<form method="post" action="${askHref(panel)}" id="chat-form">
    <input type="hidden" name="form" value="${asking.formToken}" />
    ${renderQuestionFields(asking, panel)}
  </form>`;
}

const askHref = ({ key, gate }: ChatPanel): string => `${gateHref(key, gate)}/chat#chat`;

function renderQuestionFields({ nonce, draft }: ChatFormInput, panel: ChatPanel): Html {
  return html`<input type="hidden" name="ask-nonce" value="${nonce}" />
    <p>
      <label for="question">Your question</label>
      <span class="soft small">write @business_rules.yaml to send the text of a file along</span>
    </p>
    ${textArea(html`id="question" name="question" rows="2" maxlength="8000" data-ask="1"`, draft)}
    <p class="choices">
      <button id="ask" data-does="chat" formaction="${askHref(panel)}">Ask</button>
      <label><input type="checkbox" id="fresh" name="fresh" value="1" /> start a new conversation</label>
    </p>`;
}

function exchangeItems(exchange: Exchange, { key, gate, inForm, asking }: ChatPanel): Html {
  const { actor, at, question, answer, usd: cost, files, seq } = exchange;
  const use =
    inForm && asking !== undefined
      ? html`<p>
          <button
            class="plain-link"
            name="use"
            value="${seq}"
            data-does="use"
            formaction="${gateHref(key, gate)}/use#notes"
          >
            use as comment
          </button>
        </p>`
      : undefined;
  return html`<li class="user" id="asked-${seq}">
      <span class="who">${personText(actor)} · ${momentText(at)}</span>
      <p>${clipText(question, MOST_CHARS)}</p>
      ${files.length === 0 ? undefined : html`<p class="small soft">with ${files.map((name) => html`<code>${name}</code> `)}</p>`}
    </li>
    <li class="answer">
      <span class="who">Init · ${formatUsd(cost)}</span>
      <p>${clipText(answer, MOST_CHARS)}</p>
      ${use}
    </li>`;
}

const MOST_QUOTED = 1200;

/** The text that a reviewer takes over into the notes and may edit there. */
export function formatQuote({ question, answer }: Pick<Exchange, 'question' | 'answer'>): string {
  return `I asked: ${clipText(question, MOST_QUOTED)}\nInit answered: ${clipText(answer, MOST_QUOTED)}\n`;
}
