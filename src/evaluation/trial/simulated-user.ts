/** The user of one trial: nobody, a script, or a model; each hears what the subject says, may act, and may answer. */
import { NO_USAGE } from '../../ports/subject.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { Usage } from '../../transcript/message.ts';
import { answerAsUser } from './answer-as-user.ts';
import type { StopCause } from '../components/trial-record.ts';

export type UserCall = Sample['gold'][number];

/** Runs a tool that is in the user's hands. */
export type Act = (call: UserCall) => Promise<{ output: unknown; is_error: boolean }>;

/** Without `says` there is nothing left to say, and the conversation is over. */
export type UserAnswer = {
  says: string | undefined;
  end?: { stop: StopCause; detail: string };
  usage: Usage;
  costUsd: number;
};

export type SimulatedUser = {
  answer(said: string, act: Act, leftMs: number, signal: AbortSignal): Promise<UserAnswer>;
};

/** Says its first words and no more. */
export const silentUser: SimulatedUser = {
  answer: () => Promise.resolve({ says: undefined, usage: NO_USAGE, costUsd: 0 }),
};

/** Acts first: the first act whose phrase the subject said and that was not done yet; else tells what it was asked for. */
export function scriptedUser(sample: Pick<Sample, 'user'>): SimulatedUser {
  const told = answerAsUser(sample);
  const left = [...(sample.user.acts ?? [])];
  return {
    async answer(said, act) {
      const text = left.length === 0 ? '' : said.toLowerCase();
      const index = left.findIndex(({ when }) => text.includes(when.toLowerCase()));
      const [next] = index < 0 ? [] : left.splice(index, 1);
      for (const call of next?.calls ?? []) await act(call);
      return { says: next?.says ?? told.reply(said), usage: NO_USAGE, costUsd: 0 };
    },
  };
}
