/** Inputs of the control tools; their handlers are in the files of the step that they end. */
import { z } from 'zod';
import { CommentAnswer, Layer1Problem, LeftOut, NamedCause, SentenceAccount } from '../../scenario/handoff.ts';
import { RuleId } from '../../scenario/design.ts';
import { controlTool, type ControlTool } from './control-tool.ts';

export const TodoWrite = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        id: z.string().max(40),
        text: z.string().min(1).max(500),
        status: z.enum(['pending', 'in_progress', 'done']),
      }),
    )
    .max(50),
});

export const SubmitDesign = z.strictObject({
  summary: z.string().min(1).max(4000),
  changes: z
    .array(z.strictObject({ rule: RuleId, reason: z.string().min(1), evidence: z.array(z.string()).default([]) }))
    .default([]),
  open_questions: z.array(z.string().min(1)).default([]),
  comments: z.array(CommentAnswer).default([]),
  /** Absent where nothing is left out: a design that is what it was keeps its digest. */
  left_out: z.array(LeftOut).optional(),
  /** Tells what became of each sentence of the brief; a later round that sends none keeps those of the round before. */
  accounts: z.array(SentenceAccount).optional(),
});
/** Saved as `submission.json` in the design's folder, so that the digest covers the reasons too. */
export type SubmitDesign = z.infer<typeof SubmitDesign>;

export const SubmitIteration = z.strictObject({ note: z.string().max(4000).default('') });

export const CloseIteration = z.strictObject({
  note: z.string().max(4000).default(''),
  causes: z.array(NamedCause).default([]),
});
export type CloseIteration = z.infer<typeof CloseIteration>;

export const ReturnToInit = z.strictObject({
  summary: z.string().min(1).max(4000),
  /** Causes of the failures that are not the design's. */
  causes: z.array(NamedCause).default([]),
  problems: z.array(Layer1Problem).min(1),
});
export type ReturnToInit = z.infer<typeof ReturnToInit>;

/** `todo_write`: the agent's plan; the list that was written last is carried over every compaction (S0.20). */
export function todoTool(description: string): ControlTool {
  return controlTool({ name: 'todo_write', description, schema: TodoWrite }, async ({ todos }) => ({
    ok: true,
    todos: todos.length,
  }));
}
