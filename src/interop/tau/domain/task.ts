/** A task of a tau2-bench domain as a sample of ours. */
import { z } from 'zod';
import type { Call, PatchOperation, Sample } from '../../../scenario/sample.ts';
import { CriteriaShape, requiredWords } from '../runs/criteria-tau2.ts';
import type { JsonObject } from '../../../scenario/json/json-value.ts';

export type PlayedTask = {
  start: JsonObject;
  /** From the world of the domain to the start of the task. */
  startPatch: PatchOperation[];
  gold: Call[];
  /** From the start to the end of the gold path. */
  endPatch: PatchOperation[];
  /** Sentences about what is missing or odd. */
  gaps: string[];
};

const Instructions = z.object({
  reason_for_call: z.string().default(''),
  known_info: z.string().nullish(),
  unknown_info: z.string().nullish(),
  task_instructions: z.string().nullish(),
});

export const Tau2Task = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  description: z
    .object({ purpose: z.string().nullish(), relevant_policies: z.string().nullish(), notes: z.string().nullish() })
    .nullish(),
  user_scenario: z.object({ instructions: z.union([z.string(), Instructions]) }),
  initial_state: z
    .object({
      initialization_data: z
        .object({
          agent_data: z.record(z.string(), z.unknown()).nullish(),
          user_data: z.record(z.string(), z.unknown()).nullish(),
        })
        .nullish(),
      initialization_actions: z.array(z.unknown()).nullish(),
      message_history: z.array(z.unknown()).nullish(),
    })
    .nullish(),
  evaluation_criteria: CriteriaShape.nullish(),
});
export type Tau2Task = z.infer<typeof Tau2Task>;

type TaskContext = {
  id: string;
  category: string;
  covers: readonly string[];
  played: PlayedTask;
  /** A path that must fail. */
  wrong: Call[];
  checkers: string[];
  /** Names of the user's tools. */
  userTools: ReadonlySet<string>;
  /** Only its predicates judge the end. */
  endIsFree: boolean;
};

export function sampleOfTask(task: Tau2Task, context: TaskContext): Sample {
  const { id, category, covers, played, wrong, checkers, userTools, endIsFree } = context;
  const { instructions } = task.user_scenario;
  const known: Partial<z.infer<typeof Instructions>> =
    typeof instructions === 'string' ? { reason_for_call: instructions } : instructions;
  const words = requiredWords(task.evaluation_criteria);
  const acts = played.gold.filter(({ tool }) => userTools.has(tool)).map(actOf);
  return {
    id,
    title: task.description?.purpose ?? `${category} task ${task.id}`,
    category,
    covers: [...covers],
    start: { base: 'db', patch: played.startPatch },
    user: {
      says_first: known.reason_for_call?.trim() || 'Hello.',
      knows: knownOf(known.known_info ?? ''),
      does_not_know: known.unknown_info ? [known.unknown_info.trim()] : [],
      stops_when: known.task_instructions ?? 'the agent has finished',
      ...(acts.length === 0 ? {} : { acts }),
    },
    expect: {
      end_state: endIsFree ? 'any' : played.endPatch.length === 0 ? 'unchanged' : { patch: played.endPatch },
      must_say: words.map((word) => ({ any: spellings(word) })),
      must_not_call: [],
    },
    gold: played.gold,
    gold_says: words.join(' ') || 'It is done.',
    wrong,
    wrong_says: 'There is nothing I can do.',
    checkers,
    limits: {},
  };
}

/** The texts from which rules are guessed. */
export function requiredWordsOfTask({ description, user_scenario: { instructions } }: Tau2Task): string {
  const reason = typeof instructions === 'string' ? instructions : instructions.reason_for_call;
  const about = [description?.purpose, description?.relevant_policies, description?.notes, reason];
  return about.filter(Boolean).join(' ');
}

/** The user does it when the subject's words name it. */
export function phraseOf(tool: string): string {
  return tool.replaceAll('_', ' ');
}

function actOf({ tool, args }: Call): NonNullable<Sample['user']['acts']>[number] {
  return { when: phraseOf(tool), calls: [{ tool, args }], says: `I did that: ${phraseOf(tool)}.` };
}

/** The benchmark removes commas from the text of the subject, so `1628` also matches "1,628". */
function spellings(word: string): string[] {
  if (!/^\d{4,}$/.test(word)) return [word];
  return [word, word.replaceAll(/\B(?=(\d{3})+$)/g, ',')];
}

/** `Your user id is sophia_7557.` becomes the user's answer to a question for the user id. */
function knownOf(text: string): Record<string, string> {
  const sentences = text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((part) => part.trim())
    .filter(Boolean);
  return Object.fromEntries(
    sentences.map((sentence, index) => {
      const match = /^your ([\w -]{2,40}?) (?:is|are) (.+?)\.?$/i.exec(sentence);
      if (match !== null) return [match[1]?.toLowerCase() ?? '', match[2] ?? ''];
      const name = /^you are (.+?)\.?$/i.exec(sentence);
      return name === null ? [`known ${index + 1}`, sentence] : ['name', name[1] ?? ''];
    }),
  );
}
