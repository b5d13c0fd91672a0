/** One model call of a trial: the assembled answer, then the request by parts, naming those that equal the one before. */
import { z } from 'zod';
import { formatCount } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import { parseJson } from '../../../parse-json.ts';
import type { ReadCall } from '../../../evaluation/trial/read-calls.ts';
import { Block } from '../../../transcript/message.ts';
import { renderContentBlock } from '../run/conversation.ts';
import { callHref, resultsHref, trialHref } from '../page-links.ts';

const LIMIT = 200_000;

export type CallPage = {
  key: string;
  /** For example `iteration 3` or `subject cheap`. */
  where: string;
  iteration: number;
  at: { sample: string; trial: number };
  title: string;
  calls: readonly ReadCall[];
  /** The number of the call shown, counted from 1. */
  number: number;
  /** Returns the message of an answer, whole or streamed; undefined where it is neither. */
  assemble: (answer: Buffer) => unknown;
};

type ReadTry = ReadCall['tries'][number];

export function callPage({ key, where, iteration, at, title, calls, number, assemble }: CallPage): Html {
  const call = calls[number - 1];
  const href = (other: number): string => callHref(key, iteration, { ...at, call: other });
  return html`<header>
      <p class="brand">Model call ${number} of ${calls.length} · trial ${at.trial} · ${where}</p>
      <h1>${title}</h1>
      <p class="meta">
        <span>${call?.by ?? ''}</span><span>step ${call?.step ?? 0}</span
        ><a href="${trialHref(key, iteration, at)}">The trial</a><a href="${resultsHref(key)}">All results</a>
      </p>
      <nav class="pages" aria-label="Calls">
        ${number > 1 ? html`<a id="previous" rel="prev" href="${href(number - 1)}">‹ previous call</a>` : undefined}
        ${number < calls.length ? html`<a id="next" rel="next" href="${href(number + 1)}">next call ›</a>` : undefined}
      </nav>
    </header>
    ${
      call === undefined || call.tries.length === 0
        ? html`<section class="card">
            <p>
              Nothing was sent: the answer was remembered from before the evaluation was stopped, or came from a
              recording.
            </p>
          </section>`
        : call.tries.map((one, index) =>
            trySection(one, {
              of: call.tries.length,
              index,
              assemble,
              href: href(number),
              before: findEarlierRequest(calls, number, index),
            }),
          )
    }`;
}

type EarlierRequest = { request: Buffer; number: number } | undefined;

/** Returns the previous request of the same party. */
function findEarlierRequest(calls: readonly ReadCall[], number: number, index: number): EarlierRequest {
  const own = calls[number - 1];
  const sent = calls
    .slice(0, number)
    .flatMap((call, at) =>
      call.by === own?.by
        ? call.tries.slice(0, at === number - 1 ? index : undefined).map(({ request }) => ({ request, number: at + 1 }))
        : [],
    );
  return sent.at(-1);
}

type TryContext = Pick<CallPage, 'assemble'> & { of: number; index: number; href: string; before: EarlierRequest };

function trySection({ status, request, answer }: ReadTry, { of, index, href, before, assemble }: TryContext): Html {
  const query = index === 0 ? '' : `?try=${index + 1}`;
  return html`<section class="card">
      <h2>${of > 1 ? `Try ${index + 1}: answer` : 'Answer'}</h2>
      <p class="soft small">
        ${status === undefined ? '' : `status ${status} · `}${formatCount(answer.length, 'byte')} ·
        <a href="${href}/answer${query}">exactly as it came</a>
      </p>
      ${answer.length === 0 ? html`<p>None came.</p>` : renderAnswer(answer, assemble(answer))}
    </section>
    <section class="card">
      <h2>Request</h2>
      <p class="soft small">
        ${formatCount(request.length, 'byte')} · <a href="${href}/request${query}">exactly as it was sent</a>
      </p>
      ${requestParts(request, before)}
    </section>`;
}

/** Shows what the model said and called; an answer of another shape, such as an error, as it came. */
function renderAnswer(answer: Buffer, message: unknown): Html {
  const { data } = ShownAnswer.safeParse(message);
  if (data === undefined)
    return html`<pre tabindex="0" class="bytes">
${clipText(message === undefined ? answer.toString('utf8') : JSON.stringify(message, null, 2), LIMIT)}</pre>`;
  const { content, stop_reason: stop } = data;
  return html`${content.map((block) => renderContentBlock(block))}
    <p class="soft small">Why it stopped: ${stop ?? 'not said'}.</p>`;
}

const ShownAnswer = z.object({ content: z.array(Block), stop_reason: z.string().nullish() });

function requestParts(request: Buffer, before: EarlierRequest): Html | Html[] {
  const [now, then] = [parseObject(request), before && parseObject(before.request)];
  if (now === undefined)
    return html`<pre tabindex="0" class="bytes">${clipText(request.toString('utf8'), LIMIT)}</pre>`;
  const [plain, parts] = [true, false].map((short) =>
    Object.entries(now).filter(([, value]) => isShort(value) === short),
  );
  return [
    html`<p><code>${(plain ?? []).map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(' · ')}</code></p>`,
    ...(parts ?? []).map(([name, value]) =>
      renderRequestPart(name, { value, earlier: then?.[name], number: before?.number ?? 0 }),
    ),
  ];
}

/** Cache marks move on with every call and are no part of the conversation, so they are left out of the comparison. */
const formatUnmarked = (value: unknown): string =>
  JSON.stringify(value, (name, inner: unknown) => (name === 'cache_control' ? undefined : inner)) ?? '';

const isShort = (value: unknown): boolean => typeof value !== 'object' && JSON.stringify(value).length <= 80;

type RequestPart = { value: unknown; earlier: unknown; number: number };

function renderRequestPart(name: string, { value, earlier: then, number }: RequestPart): Html {
  if (formatUnmarked(value) === formatUnmarked(then))
    return html`<p><strong>${name}</strong> <span class="soft">as in call ${number}</span></p>`;
  const [all, old] = [asArray(value), asArray(then)];
  const same = all === undefined || old === undefined ? 0 : countSameItems(all, old);
  const shown = all === undefined ? value : all.slice(same);
  const prefix = same === 0 ? undefined : html`<span class="soft">the first ${same} as in call ${number}, then</span>`;
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2);
  const inside = html`<summary><strong>${name}</strong> ${prefix}</summary>
    <div class="inside"><pre tabindex="0" class="bytes">${clipText(text, LIMIT)}</pre></div>`;
  // The conversation is open, because most readers come for it.
  return name === 'messages' ? html`<details open>${inside}</details>` : html`<details>${inside}</details>`;
}

function countSameItems(all: readonly unknown[], old: readonly unknown[]): number {
  const differs = all.findIndex((item, index) => formatUnmarked(item) !== formatUnmarked(old[index]));
  return differs < 0 ? all.length : differs;
}

function asArray(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  const value = parseJson(bytes.toString('utf8'));
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
