/** Subject and user as a trace recorded them: said and called again, word for word, on the components as they are now. */
import { NO_USAGE, type Conversation, type SubjectTurn } from '../../ports/subject.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import type { SimulatedUser } from './simulated-user.ts';

export type RecordedParticipants = { conversation: Conversation; user: SimulatedUser };

type Line<Type extends TraceLine['type']> = Extract<TraceLine, { type: Type }>;

/** What stands in a trace under one number. */
type Step = {
  says: Line<'says'> | undefined;
  calls: Line<'call'>[];
  acts: Line<'call'>[];
  user: Line<'user'> | undefined;
};

export function recordedParticipants(lines: readonly TraceLine[]): RecordedParticipants {
  const steps = stepsOf(lines);
  const end = lines.find((line): line is Line<'end'> => line.type === 'end');
  let at = 0;
  return {
    conversation: {
      next: () => {
        const step = steps[at];
        at += 1;
        return Promise.resolve(step === undefined ? endTurn(end) : turnOf(step, at, at === steps.length));
      },
      close: () => Promise.resolve(),
    },
    user: {
      answer: async (_said, act) => {
        const step = steps[at - 1];
        for (const { tool, input } of step?.acts ?? []) await act({ tool, args: input });
        return { says: step?.user?.text, usage: NO_USAGE, costUsd: 0 };
      },
    },
  };
}

/** The steps of the subject in order; the user's first words are step 0 and not among them. */
function stepsOf(lines: readonly TraceLine[]): Step[] {
  const steps = new Map<number, Step>();
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

function turnOf({ says, calls, user }: Step, number: number, isLast: boolean): SubjectTurn {
  const turn = {
    says: says?.text ?? '',
    calls: calls.map(({ tool, input }, index) => ({ id: `recorded_${number}_${index}`, tool, args: input })),
    usage: NO_USAGE,
    costUsd: 0,
  };
  return calls.length === 0 && user === undefined && !isLast ? { ...turn, goesOn: true } : turn;
}

function endTurn(end: Line<'end'> | undefined): SubjectTurn {
  const silence = { says: '', calls: [], usage: NO_USAGE, costUsd: 0 };
  if (end === undefined)
    return { ...silence, end: { stop: 'infrastructure', detail: 'the recorded trace has no end' } };
  return { ...silence, end: { stop: end.stop, ...(end.detail === undefined ? {} : { detail: end.detail }) } };
}
