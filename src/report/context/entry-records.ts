/** Describes what the call records of an agent say about each entry of a conversation (S4.6). */
import { contextHistory } from '../../context-lab/history.ts';
import type { CallRecord } from '../../transcript/call-record.ts';
import { formatDuration, formatTokens } from '../text/number-format.ts';
import { attemptText, receiptText, unansweredText } from './context-part-names.ts';

export type EntryRecords = {
  /** Text on an answer; undefined where no call brought it. */
  answer: (entry: string) => string | undefined;
  compaction: (entry: string) => { sizes: string; receipt: string; attempts: string[] } | undefined;
  /** Texts on calls that failed, could not be made, or are under way. */
  unanswered: string[];
};

export function entryRecords(records: readonly CallRecord[]): EntryRecords {
  const { calls, compactions, unanswered = [] } = contextHistory(records);
  return {
    answer: (entry) => {
      const call = calls.find((one) => one.entry === entry);
      if (call === undefined) return undefined;
      const took = call.durationMs === undefined ? '' : ` · ${formatDuration(call.durationMs)}`;
      return `${formatTokens(call.output)} tokens out${took}`;
    },
    compaction: (entry) => {
      const made = compactions.find((one) => one.entry === entry);
      if (made === undefined) return undefined;
      const { tokensBefore, tokensAfter, decisions } = made.receipt;
      return {
        sizes: `${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens`,
        receipt: receiptText(made),
        attempts: decisions.map((one) => attemptText(one)),
      };
    },
    unanswered: unanswered.map((call) => unansweredText(call)),
  };
}
