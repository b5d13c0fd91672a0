/** The Anthropic model on a scripted server, closed with the test; its pauses are written down and not waited for. */
import { onTestFinished } from 'vitest';
import { createAnthropicModel, type AnthropicModelOptions } from '../../src/adapters/anthropic/anthropic-model.ts';
import type { RetryNotice } from '../../src/adapters/anthropic/retry.ts';
import { contractRequest } from '../contracts/model.contract.ts';
import { startScriptedServer, type Reply } from './scripted-server.ts';

export const KEY = 'sk-ant-api03-THE_SECRET-0123456789';

export async function modelOn(replies: readonly Reply[], more: Partial<AnthropicModelOptions> = {}) {
  const server = await startScriptedServer(replies);
  onTestFinished(server.close);
  const pauses: number[] = [];
  const notices: RetryNotice[] = [];
  const model = createAnthropicModel({
    baseUrl: server.url,
    apiKey: KEY,
    timeoutMs: 5_000,
    retry: { tries: 4, minDelayMs: 100, maxDelayMs: 300 },
    onRetry: (notice) => notices.push(notice),
    wait: async (delayMs) => {
      pauses.push(delayMs);
    },
    random: () => 1,
    ...more,
  });
  return { model, pauses, notices, received: server.received, server };
}

/** What a call is rejected with, and how many tries it made. */
export async function failureOf(replies: readonly Reply[], more: Partial<AnthropicModelOptions> = {}) {
  const subject = await modelOn(replies, more);
  const { signal } = new AbortController();
  const error: unknown = await subject.model.call(contractRequest, signal).catch((thrown: unknown) => thrown);
  return { ...subject, error, tries: subject.received.length };
}
