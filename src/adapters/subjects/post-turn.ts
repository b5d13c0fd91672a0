/** A subject behind an HTTP endpoint, and the post of one turn: headers from the environment, retries, and limits. */
import { setTimeout as delay } from 'node:timers/promises';
import { createConfigError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { WireExchange } from '../../ports/model.ts';
import type { HttpSubjectOptions, SubjectInput, SubjectHost, SubjectTurn } from '../../ports/subject.ts';
import { describeLostPost, isTemporary, postText } from './post-text.ts';
import { MAX_ANSWER_CHARS, createSecretRedactor, stoppedTurn, parseTurn } from './subject-answer.ts';

const WAITS_MS = [250, 1000];

/** Throws `config_invalid` at once when an environment variable is not set. */
export function readHeaderValues(headers: HttpSubjectOptions['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([header, name]): [string, string] => {
    const value = process.env[name];
    if (value === undefined || value === '') {
      throw createConfigError(
        `scenario.yaml: subject: headers: "${header}" is taken from the environment variable ${name}, which is not set.`,
      );
    }
    return [header.toLowerCase(), value];
  });
  return Object.fromEntries(entries);
}

export type HttpReply =
  | { ok: true; text: string }
  | { ok: false; stop: 'crashed' | 'infrastructure'; detail: string; status?: number };

/** Retries temporary errors; never rejects. */
export async function postTurn(
  url: string,
  request: {
    headers: Record<string, string>;
    body: string;
    onExchange?: ((exchange: WireExchange) => void) | undefined;
  },
  signal: AbortSignal,
): Promise<HttpReply> {
  let last: HttpReply = { ok: false, stop: 'infrastructure', detail: 'it was not called' };
  let requestedMs = 0;
  for (const wait of [0, ...WAITS_MS]) {
    if (wait > 0) await delay(Math.max(wait, requestedMs), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return last;
    const { reply, again, waitMs = 0 } = await tryOnce(url, request, signal);
    if (!again) return reply;
    last = reply;
    requestedMs = waitMs;
  }
  return last;
}

async function tryOnce(
  url: string,
  { headers, body, onExchange }: Parameters<typeof postTurn>[1],
  signal: AbortSignal,
): Promise<{ reply: HttpReply; again: boolean; waitMs?: number }> {
  const failed = (detail: string, again: boolean, status?: number) => ({
    reply: { ok: false, stop: 'infrastructure', detail, ...omitUndefined({ status }) } satisfies HttpReply,
    again,
  });
  const clean = createSecretRedactor(secretsIn(headers));
  const tell = (status?: number, bytes: Uint8Array = Buffer.alloc(0)): void => {
    const text = Buffer.from(bytes).toString('utf8');
    const answer = clean(text) === text ? bytes : Buffer.from(clean(text));
    onExchange?.({ request: clean(body), ...omitUndefined({ status }), answer });
  };
  try {
    const {
      status,
      headers: sent,
      bytes,
    } = await postText(url, { headers, body, mostBytes: MAX_ANSWER_CHARS }, signal);
    tell(status, bytes);
    if (isTemporary(status)) {
      const seconds = Number(sent['retry-after'] ?? 0);
      const waitMs = Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0;
      return { ...failed(`the endpoint answered ${status}`, true, status), waitMs };
    }
    if (bytes === undefined) {
      const detail = `its answer is longer than ${MAX_ANSWER_CHARS} bytes`;
      return { reply: { ok: false, stop: 'crashed', detail }, again: false };
    }
    const text = clean(bytes.toString('utf8'));
    if (status < 200 || status >= 300)
      return failed(`the endpoint answered ${status}: ${text.slice(0, 300)}`, false, status);
    return { reply: { ok: true, text }, again: false };
  } catch (error) {
    tell();
    // The error about an invalid header may quote its value, so it is redacted.
    return failed(clean(`the endpoint cannot be reached: ${describeLostPost(error)}`), true);
  }
}

/** Returns header values from the environment; an endpoint may repeat one without its scheme. */
function secretsIn({ 'content-type': _known, ...headers }: Record<string, string>): string[] {
  return Object.values(headers).map((value) => value.replace(/^[A-Za-z]+ +/, ''));
}

type SentTurn = { type: 'subject'; say: string; calls: SubjectTurn['calls'] };

/** Throws `config_invalid` at once when a needed environment variable is not set. */
export function httpSubject({ url, headers }: HttpSubjectOptions): SubjectHost {
  const sent = { 'content-type': 'application/json', ...readHeaderValues(headers) };
  return {
    open: async ({ prompt, tools, onExchange }) => {
      const conversation: (SubjectInput | SentTurn)[] = [];
      let turns = 0;
      return {
        async next(input, leftMs, signal) {
          if (input !== undefined) conversation.push(input);
          turns += 1;
          const body = JSON.stringify({ version: 1, prompt, tools, conversation });
          const late = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
          const reply = await postTurn(url, { headers: sent, body, onExchange }, AbortSignal.any([signal, late]));
          signal.throwIfAborted();
          if (late.aborted) return stoppedTurn('seconds', 'the endpoint did not answer in time');
          if (!reply.ok) return stoppedTurn(reply.stop, reply.detail);
          const turn = parseTurn(reply.text, turns);
          conversation.push({ type: 'subject', say: turn.says, calls: turn.calls });
          return turn;
        },
        close: () => Promise.resolve(),
      };
    },
  };
}
