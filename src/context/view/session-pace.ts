/** What a session shows of itself entry by entry: sizes of steps, calls that found the prompt cache expired, the newest compaction. */
import { omitUndefined } from '../../omit-undefined.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { Entry, MessageEntry } from '../../transcript/entry.ts';
import type { SessionPace } from '../plan/auto-trigger.ts';
import { inputTokens } from '../record/receipt.ts';

export function createPaceTracker(): { feed(entry: Entry): void; read(): SessionPace } {
  const steps: number[] = [];
  let [calls, cold] = [0, 0];
  /** Input tokens of the call before: what a warm cache holds. */
  let sent = 0;
  let epoch: string | undefined;
  let compacted: SessionPace['compacted'];

  /** What comes before the first answer is no step. */
  function takeStep({ origin, message }: MessageEntry): void {
    const tokens = estimateMessages([message]);
    if (origin === 'model') steps.push(tokens);
    else if (steps.length > 0) steps.push((steps.pop() ?? 0) + tokens);
  }

  /** Of an epoch's first call nothing is cached; of every later one what the call before it sent should be. */
  function takePause({ response }: MessageEntry): void {
    if (response === undefined) return;
    if (response.view === epoch) {
      calls += 1;
      if (response.usage.cache_read_input_tokens * 2 < sent) cold += 1;
    }
    sent = inputTokens(response.usage);
    epoch = response.view;
  }

  return {
    feed(entry) {
      if (entry.type === 'compaction') {
        const { tokensAfter: after, usage } = entry.receipt;
        compacted = { after, output: usage?.output_tokens };
      }
      if (entry.type !== 'message') return;
      takeStep(entry);
      takePause(entry);
    },
    read: () => ({ steps, calls, cold, ...omitUndefined({ compacted }) }),
  };
}
