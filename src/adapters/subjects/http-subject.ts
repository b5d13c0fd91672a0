/** A subject behind an HTTP endpoint: each turn posts the whole conversation, so the endpoint needs no state. */
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError, messageOf } from '../../errors.ts';
import type { SubjectInput, HttpSubjectOptions, SubjectHost, SubjectTurn } from '../../ports/subject.ts';
import { stoppedTurn, MAX_ANSWER_CHARS, turnOf } from './subject-answer.ts';

type SentTurn = { type: 'subject'; say: string; calls: SubjectTurn['calls'] };

const WAITS_MS = [250, 1000];

/** Throws `config_invalid` at once when an environment variable that it needs is not set. */
export function httpSubject({ url, headers }: HttpSubjectOptions): SubjectHost {
  const sent = { 'content-type': 'application/json', ...valuesOf(headers) };
  return {
    open: async ({ prompt, tools }) => {
      const conversation: (SubjectInput | SentTurn)[] = [];
      let turns = 0;
      return {
        async next(input, leftMs, signal) {
          if (input !== undefined) conversation.push(input);
          turns += 1;
          const body = JSON.stringify({ version: 1, prompt, tools, conversation });
          const late = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
          const reply = await post(url, { headers: sent, body }, AbortSignal.any([signal, late]));
          signal.throwIfAborted();
          if (late.aborted) return stoppedTurn('seconds', 'the endpoint did not answer in time');
          if (!reply.ok) return stoppedTurn(reply.stop, reply.detail);
          const turn = turnOf(reply.text, turns);
          conversation.push({ type: 'subject', say: turn.says, calls: turn.calls });
          return turn;
        },
        close: () => Promise.resolve(),
      };
    },
  };
}

function valuesOf(headers: HttpSubjectOptions['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([header, name]): [string, string] => {
    const value = process.env[name];
    if (value === undefined || value === '') {
      throw new HarnessError(
        'config_invalid',
        `scenario.yaml: subject: headers: "${header}" is taken from the environment variable ${name}, which is not set.`,
      );
    }
    return [header.toLowerCase(), value];
  });
  return Object.fromEntries(entries);
}

type HttpReply = { ok: true; text: string } | { ok: false; stop: 'crashed' | 'infrastructure'; detail: string };

/** Retries what may be temporary; never rejects. */
async function post(url: string, request: { headers: Record<string, string>; body: string }, signal: AbortSignal) {
  let last: HttpReply = { ok: false, stop: 'infrastructure', detail: 'it was not asked' };
  for (const wait of [0, ...WAITS_MS]) {
    if (wait > 0) await delay(wait, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return last;
    const { reply, again } = await tryOnce(url, request, signal);
    if (!again) return reply;
    last = reply;
  }
  return last;
}

async function tryOnce(
  url: string,
  request: RequestInit,
  signal: AbortSignal,
): Promise<{ reply: HttpReply; again: boolean }> {
  const failed = (detail: string, again: boolean) => ({
    reply: { ok: false, stop: 'infrastructure', detail } satisfies HttpReply,
    again,
  });
  try {
    const response = await fetch(url, { ...request, method: 'POST', redirect: 'manual', signal });
    if (response.status === 429 || response.status >= 500) {
      await response.body?.cancel();
      return failed(`the endpoint answered ${response.status}`, true);
    }
    const text = await bodyOf(response);
    if (text === undefined) {
      const detail = `its answer is longer than ${MAX_ANSWER_CHARS} bytes`;
      return { reply: { ok: false, stop: 'crashed', detail }, again: false };
    }
    if (!response.ok) return failed(`the endpoint answered ${response.status}: ${text.slice(0, 200)}`, false);
    return { reply: { ok: true, text }, again: false };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
    return failed(`the endpoint cannot be reached: ${messageOf(error)}${cause}`, true);
  }
}

/** Undefined when the body is too long. */
async function bodyOf(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_CHARS) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
