/** Subject and user from a trace: they repeat its words and calls on the current components. */
import { omitUndefined } from '../../omit-undefined.ts';
import type { Conversation, SubjectTurn } from '../../ports/subject.ts';
import type { TraceLine, TraceLineOf } from '../../scenario/trace.ts';
import { NO_USAGE } from '../../transcript/message.ts';
import type { SimulatedUser } from './simulated-user.ts';

export type RecordedParticipants = { conversation: Conversation; user: SimulatedUser };

/** The lines of a trace with one step number. */
type RecordedStep = {
  says: TraceLineOf<'says'> | undefined;
  calls: TraceLineOf<'call'>[];
  acts: TraceLineOf<'call'>[];
  user: TraceLineOf<'user'> | undefined;
};

export function recordedParticipants(lines: readonly TraceLine[]): RecordedParticipants {
  const steps = groupSteps(lines);
  const end = lines.find((line): line is TraceLineOf<'end'> => line.type === 'end');
  let at = 0;
  return {
    conversation: {
      next: () => {
        const step = steps[at];
        at += 1;
        return Promise.resolve(step === undefined ? toEndTurn(end) : toSubjectTurn(step, at, at === steps.length));
      },
      close: () => Promise.resolve(),
    },
    user: {
      answer: async ({ act }) => {
        const step = steps[at - 1];
        for (const { tool, input } of step?.acts ?? []) await act({ tool, args: input });
        const chosen = omitUndefined({ chosen: step?.user?.chosen ?? (at === steps.length ? end?.chosen : undefined) });
        return { says: step?.user?.text, ...chosen, usage: NO_USAGE, costUsd: 0 };
      },
    },
  };
}

/** The steps of the subject in order; the user's first words are step 0 and not among them. */
function groupSteps(lines: readonly TraceLine[]): RecordedStep[] {
  const steps = new Map<number, RecordedStep>();
  for (const line of lines) {
    if (line.type === 'start' || line.type === 'end' || line.step === 0) continue;
    const step = steps.get(line.step) ?? { says: undefined, calls: [], acts: [], user: undefined };
    steps.set(line.step, step);
    if (line.type === 'says') step.says = line;
    else if (line.type === 'user') step.user = line;
    else (line.by === 'user' ? step.acts : step.calls).push(line);
  }
  return [...steps].toSorted(([a], [b]) => a - b).map(([, step]) => step);
}

function toSubjectTurn({ says, calls, user }: RecordedStep, number: number, isLast: boolean): SubjectTurn {
  const turn = {
    says: says?.text ?? '',
    calls: calls.map(({ tool, input }, index) => ({ id: `recorded_${number}_${index}`, tool, args: input })),
    usage: NO_USAGE,
    costUsd: 0,
  };
  return calls.length === 0 && user === undefined && !isLast ? { ...turn, goesOn: true } : turn;
}

const NO_END = { stop: 'infrastructure', detail: 'the recorded trace has no end', chosen: undefined } as const;

function toEndTurn(end: TraceLineOf<'end'> | undefined): SubjectTurn {
  const { stop, detail, chosen } = end ?? NO_END;
  return { says: '', calls: [], end: { stop, ...omitUndefined({ detail, chosen }) }, usage: NO_USAGE, costUsd: 0 };
}
