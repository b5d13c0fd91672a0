/** The actions of an agent in an exported sample, calls and words, in the form of its log and of a shell. */
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { Block, StopReason } from '../../transcript/message.ts';
import type { PathStep, Sample } from '../../scenario/sample.ts';

/** With `waits: false` the agent continues at once, and the user does not answer. */
export const Action = z.union([
  z.strictObject({ tool: z.string().min(1), args: z.record(z.string(), z.unknown()) }),
  z.strictObject({ says: z.string().min(1), waits: z.boolean() }),
]);
export type Action = z.infer<typeof Action>;

const ActionLine = z.strictObject({ id: z.string(), action: Action });
/** The answer of the model that plays the user to one action: its n-th response, or why there is none. */
const AnswerLine = z.strictObject({
  answers: z.string(),
  nth: z.int().nonnegative(),
  response: z.strictObject({ content: z.array(Block), stop_reason: StopReason }).optional(),
  lost: z.string().optional(),
});
export type AnswerLine = z.infer<typeof AnswerLine>;

export type LoggedAction = z.infer<typeof ActionLine> & { answers: AnswerLine[] };

/** An agent can write to its log, so invalid lines are ignored, and the first answer to an action counts. */
export function readLog(text: string): LoggedAction[] {
  const lines = text.split('\n').map((line) => parseJson(line));
  const answers = lines.flatMap((line) => AnswerLine.safeParse(line).data ?? []);
  return lines.flatMap((line) => {
    const found = ActionLine.safeParse(line).data;
    return found === undefined ? [] : [{ ...found, answers: answers.filter((one) => one.answers === found.id) }];
  });
}

export function formatLogLine(line: z.infer<typeof ActionLine> | AnswerLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Converts a listed path to the agent's actions: the user answers by itself, and acts on the words in its sample. */
export function toActions(sample: Sample, path: 'gold' | 'wrong', userTools: ReadonlySet<string>): Action[] {
  const steps = sample[path];
  const last = path === 'gold' ? sample.gold_says : sample.wrong_says;
  const isAnswered = (step: PathStep | undefined): boolean =>
    step === undefined || 'user' in step || ('tool' in step && userTools.has(step.tool));
  const actions: Action[] = [];
  for (const [index, step] of steps.entries()) {
    if ('says' in step) actions.push({ says: step.says, waits: isAnswered(steps[index + 1]) });
    else if ('tool' in step && !userTools.has(step.tool)) actions.push({ tool: step.tool, args: step.args });
    else if ('tool' in step) {
      const { when } = sample.user.acts?.find(({ calls }) => calls.some(({ tool }) => tool === step.tool)) ?? {};
      const said = actions.at(-1);
      const isSaid = said !== undefined && 'says' in said && said.waits;
      if (when !== undefined && !(isSaid && said.says.toLowerCase().includes(when.toLowerCase())))
        actions.push({ says: when, waits: true });
    }
  }
  return last === '' ? actions : [...actions, { says: last, waits: true }];
}

/** The command line that performs the action. */
export function formatCommand(action: Action): string {
  if ('tool' in action) return `world call ${quoteArgument(action.tool)} ${quoteArgument(JSON.stringify(action.args))}`;
  return `world say ${action.waits ? '' : '--no-wait '}${quoteArgument(action.says)}`;
}

function quoteArgument(text: string): string {
  return /^[\w-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
