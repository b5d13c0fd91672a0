/** The token budget of one turn: a countdown that the model sees, or a note of ours where it has none. */
import { ephemeralEntry } from '../context/index.ts';
import type { Prompts } from '../context/core.ts';
import type { FittedModel } from './build-request.ts';
import type { AgentDefinition } from './definition.ts';
import type { EntryDraft } from './agent-conversation.ts';
import type { ModelRequest } from '../ports/model.ts';
import type { Entry } from '../transcript/entry.ts';
import { fillTemplate } from '../transcript/fill-template.ts';
import { estimateMessages } from '../transcript/tokens.ts';

type BudgetedAgent = { definition: Pick<AgentDefinition, 'task_budget'>; prompts: Pick<Prompts, 'budget'> };
type TaskBudget = NonNullable<ModelRequest['output_config']>['task_budget'];

/**
 * The budget as the API wants it. It counts what it is shown, so after a compaction it must be told what has left. Between two
 * compactions the value stays the same, and so does the cached prefix.
 */
export function readTaskBudget(
  entries: readonly Entry[],
  { definition: { task_budget: total } }: BudgetedAgent,
  { taskBudget }: FittedModel,
): TaskBudget | undefined {
  if (total === undefined || taskBudget !== true) return undefined;
  const turn = listTurn(entries);
  const covers = turn.findLast((entry) => entry.type === 'compaction')?.coversThrough;
  const gone = turn.slice(0, turn.findIndex(({ id }) => id === covers) + 1);
  const spent = sumSpent(gone);
  return { type: 'tokens', total, ...(spent === 0 ? {} : { remaining: Math.max(0, total - spent) }) };
}

/** Parts of the budget after each of which a model without a countdown is told what is left. */
const PARTS = 4;

/** Returns a note when the newest step has used up one more part of the budget. */
export function listBudgetNotes(
  entries: readonly Entry[],
  { definition: { task_budget: total }, prompts: { budget: text } }: BudgetedAgent,
  { taskBudget, boundThinking }: FittedModel,
): EntryDraft[] {
  if (total === undefined || taskBudget === true || text === undefined) return [];
  const turn = listTurn(entries);
  const newest = turn.findLastIndex((entry) => entry.type === 'message' && entry.origin === 'model');
  const [before, now] = [turn.slice(0, newest), turn].map((list) => total - sumSpent(list)) as [number, number];
  if (newest < 0 || countParts(before, total) === countParts(now, total)) return [];
  const left = String(Math.max(0, now));
  return [ephemeralEntry(fillTemplate(text, { left, total: String(total) }), boundThinking)];
}

function countParts(left: number, total: number): number {
  return Math.max(0, Math.ceil((left * PARTS) / total));
}

/** The entries since the turn was opened: what a person or the harness said before is paid by an earlier budget. */
function listTurn(entries: readonly Entry[]): readonly Entry[] {
  return entries.slice(entries.findLastIndex((entry) => entry.type === 'message' && entry.context !== undefined) + 1);
}

/** Answers, thinking included, and results of tools. */
function sumSpent(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => {
    if (entry.type !== 'message' || (entry.origin !== 'model' && entry.origin !== 'tools')) return sum;
    return sum + (entry.response?.usage.output_tokens ?? estimateMessages([entry.message]));
  }, 0);
}
