/** Writes the record of every model call when it is made, and again when it has ended (S4.6). */
import { describeError, isHarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { computeCost, type ModelResponse } from '../ports/model.ts';
import type { FittedModel } from './build-request.ts';
import type { CallRecord } from '../transcript/call-record.ts';

/** Where call records are written. */
export type CallLog = {
  step: string;
  /** Prefix of the ids of its calls; `step` when absent. */
  ids?: string;
  now: () => Date;
  write: (record: CallRecord) => Promise<void>;
  /** Returns when the answer of an entry arrived, by the records so far, for the times of an archive (S1.9). */
  timeOf?: (entry: string) => string | undefined;
};

export type CallDraft = Omit<CallRecord, 'version' | 'id' | 'at' | 'step' | 'agent' | 'outcome' | 'model'>;

export type OpenCall = {
  /** `entry` is the entry that holds the answer; absent when nothing of the answer could be used. */
  answered(response: ModelResponse, entry?: string): Promise<void>;
  failed(error: unknown): Promise<void>;
};

export type CallRecorder = {
  /** Contract: the record is written before this resolves, so that a call whose process dies is on record. */
  open(draft: CallDraft, facts?: FittedModel): Promise<OpenCall>;
  /** Records a request that could not be made. */
  notSent(draft: CallDraft, error: unknown): Promise<void>;
};

export function createCallRecorder(log: CallLog | undefined, agent: string, own: FittedModel): CallRecorder {
  const numbers = new Map<string, number>();
  const begun = (draft: CallDraft, facts: FittedModel): CallRecord => {
    const key = draft.purpose === 'summary' ? `${draft.lane}.summary` : draft.lane;
    const number = (numbers.get(key) ?? 0) + 1;
    numbers.set(key, number);
    const id = `${log?.ids ?? log?.step ?? ''}.${key}.${String(number).padStart(4, '0')}`;
    const at = (log?.now() ?? new Date(0)).toISOString();
    return { version: 1, id, agent, ...omitUndefined({ step: log?.step }), at, model: facts.id, ...draft };
  };
  const write = async (record: CallRecord): Promise<void> => log?.write(record);
  return {
    open: async (draft, facts = own) => {
      const record = begun(draft, facts);
      await write(record);
      return {
        answered: (response, entry) => {
          const { model, usage, stopReason, requestId, ms, at: answeredAt } = response;
          const costUsd = facts.price && computeCost(usage, facts.price);
          const more = omitUndefined({ entry, requestId, ms, answeredAt, costUsd });
          return write({ ...record, model, outcome: 'answered', usage, stopReason, ...more });
        },
        failed: (error) => write({ ...record, outcome: 'failed', error: toCallError(error) }),
      };
    },
    notSent: (draft, error) => write({ ...begun(draft, own), outcome: 'not_sent', error: toCallError(error) }),
  };
}

function toCallError(error: unknown): { code: string; message: string } {
  return { code: isHarnessError(error) ? error.code : 'infrastructure', message: describeError(error) };
}
