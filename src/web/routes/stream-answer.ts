/** Init's answer as events, sent while it is written. */
import { streamSSE } from 'hono/streaming';
import { isHarnessError, describeError, usageError } from '../../errors.ts';
import type { Chat, ChatQuestion } from '../../ports/chat.ts';
import type { Exchange } from '../../run/exchanges.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { withoutPaths, type ReviewContext } from './respond.ts';

/** Interval of keep-alive events, because proxies close silent connections. */
const BEAT_MS = 15_000;

export function requireChat({ chat }: ReviewDeps): Chat {
  if (chat !== undefined) return chat;
  throw usageError('Questions are not answered here: this page was started without a model.');
}

export function wantsStream(c: ReviewContext): boolean {
  return /\btext\/event-stream\b/.test(c.req.header('accept') ?? '');
}

type QuestionToStream = {
  chat: Chat;
  question: ChatQuestion;
  /** Whether disconnecting cancels the question; an unanswered question is not recorded. */
  endsWithReader: boolean;
};

export function streamAnswer(
  c: ReviewContext,
  { chat, question, endsWithReader }: QuestionToStream,
  shown: (exchange: Exchange) => unknown,
): Response {
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    const left = new AbortController();
    const leave = (): void => {
      if (endsWithReader) left.abort(new Error('the reader left'));
    };
    stream.onAbort(leave);
    const send = (event: string, data: unknown) => stream.writeSSE({ event, data: JSON.stringify(data) });
    const beat = setInterval(() => void stream.write(': beat\n\n'), BEAT_MS);
    try {
      const exchange = await chat.ask(question, (part) => void send('heard', part).catch(leave), left.signal);
      await send('answer', shown(exchange));
    } catch (error) {
      if (left.signal.aborted || stream.aborted) return;
      if (!isHarnessError(error)) throw error;
      await send('refused', { code: error.code, message: withoutPaths(describeError(error)) });
    } finally {
      clearInterval(beat);
    }
  });
}
