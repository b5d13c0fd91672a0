/** Puts the question of a grader to its model once per vote; each vote fits a schema and quotes the conversation. */
import { sha256 } from '../../disk/sha256.ts';
import { computeCost, type Model, type ModelFacts, type OutgoingMessage } from '../../ports/model.ts';
import { GraderAnswer, type GraderSpec } from '../../scenario/grader.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { listToolUses, type ToolDefinition } from '../../transcript/message.ts';
import { schemaIssues } from '../components/schema-issues.ts';
import { asSent, callSubject, subjectRequest, type Subject } from '../trial/subject-turn.ts';
import { inventedQuote, type GradedRecord } from './graded-record.ts';

/** `prompts/grader*.md`. */
export type GraderPrompts = Readonly<Record<'grader' | 'grader_void' | 'grader_order' | 'grader_padding', string>>;

/** The model that answers the question of a grader. */
export type GraderModel = {
  name: string;
  price: ModelFacts['price'];
  thinking?: 'adaptive' | undefined;
  modelFor: (lane: string) => Model | Promise<Model>;
};

type Vote = { costUsd: number } & (
  | { type: 'answer'; answer: GraderAnswer }
  | { type: 'void'; fault: string }
  | { type: 'unreachable'; detail: string }
);

export type GraderVotes = { votes: Vote[]; costUsd: number };

const MAX_TOKENS = 4096;
const SECONDS = 180;
/** A void answer is requested once more, with the reason. */
const TRIES = 2;

const ANSWER = {
  verdict: { type: 'string', enum: ['pass', 'fail'] },
  reason: { type: 'string', description: 'One or two sentences.' },
  quotes: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 5 },
};

/** A grader with a least score always gives one. */
function describeScore({ score, least_score: least }: GraderSpec): string | undefined {
  return score ?? (least === undefined ? undefined : 'How far it is met, from 0 for not at all to 1 for fully.');
}

/** Also asks for the numbers that the grader names. */
function verdictTool(grader: GraderSpec): ToolDefinition {
  const { metrics = {} } = grader;
  const score = describeScore(grader);
  const named = Object.entries(metrics);
  const properties = {
    ...ANSWER,
    ...(score !== undefined && { score: { type: 'number', description: score } }),
    ...(named.length > 0 && {
      metrics: {
        type: 'object',
        properties: Object.fromEntries(named.map(([name, means]) => [name, { type: 'number', description: means }])),
        required: named.map(([name]) => name),
        additionalProperties: false,
      },
    }),
  };
  return {
    name: 'give_verdict',
    description: 'Gives the verdict on the conversation, with its reason and the passages that decide it.',
    input_schema: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
  };
}

/** Digests everything that a verdict depends on, except the conversation. */
export function graderKey(grader: GraderSpec, { prompt, model }: { prompt: string; model: string }): string {
  return sha256(JSON.stringify([grader, prompt, model, verdictTool(grader)]));
}

export type GraderQuestion = {
  grader: GraderSpec;
  record: GradedRecord;
  by: GraderModel;
  prompts: GraderPrompts;
  /** The lane of its calls. */
  lane: string;
};

/** Asks for all votes and stops at the first one that is unreachable, because nothing is decided without it. */
export async function askGrader(asking: GraderQuestion, signal: AbortSignal): Promise<GraderVotes> {
  const votes: Vote[] = [];
  for (let number = 1; number <= (asking.grader.votes ?? 1); number += 1) {
    const model = await asking.by.modelFor(`${asking.lane}.${number}`);
    const vote = await askForVote(asking, model, signal);
    votes.push(vote);
    if (vote.type === 'unreachable') break;
  }
  return { votes, costUsd: votes.reduce((sum, vote) => sum + vote.costUsd, 0) };
}

async function askForVote(
  { grader, record, by, prompts }: GraderQuestion,
  model: Model,
  signal: AbortSignal,
): Promise<Vote> {
  const { name, price, thinking } = by;
  const prompt = systemPrompt(grader, prompts.grader);
  const subject: Subject = { model: name, prompt, tools: [verdictTool(grader)], maxTokens: MAX_TOKENS, thinking };
  const messages: OutgoingMessage[] = [
    { role: 'user', content: [{ type: 'text', text: `<record>\n${record.text}\n</record>` }] },
  ];
  let costUsd = 0;
  let fault = '';
  for (let tries = 0; tries < TRIES; tries += 1) {
    const request = subjectRequest(subject, [...messages]);
    const called = await callSubject(model, request, { by: 'user', leftMs: SECONDS * 1000, signal });
    if (called.type === 'stopped') return { type: 'unreachable', detail: called.detail, costUsd };
    const { content, usage } = called.response;
    costUsd += computeCost(usage, price);
    const [use] = listToolUses({ content });
    const read = readAnswer(use?.input, { grader, record });
    if ('answer' in read) return { type: 'answer', answer: read.answer, costUsd };
    fault = read.fault;
    const again = fillTemplate(prompts.grader_void, { fault }).trim();
    const sent = asSent(content);
    if (sent.length > 0) messages.push({ role: 'assistant', content: sent });
    const results = listToolUses({ content }).map(({ id }) => ({
      ...{ type: 'tool_result' as const, tool_use_id: id, content: again, is_error: true },
    }));
    messages.push({ role: 'user', content: results.length > 0 ? results : [{ type: 'text', text: again }] });
  }
  return { type: 'void', fault, costUsd };
}

function readAnswer(
  input: unknown,
  { grader, record }: Pick<GraderQuestion, 'grader' | 'record'>,
): { answer: GraderAnswer } | { fault: string } {
  if (input === undefined) return { fault: 'The tool give_verdict was not called.' };
  const parsed = GraderAnswer.safeParse(input);
  if (!parsed.success) return { fault: `The answer does not fit: ${schemaIssues(parsed.error).join('; ')}.` };
  const quote = inventedQuote(parsed.data.quotes, record);
  if (quote !== undefined) return { fault: `Nobody said "${quote}".` };
  const answer = withNamedNumbers(parsed.data, grader);
  if (grader.least_score === undefined || answer.verdict === 'fail') return { answer };
  if (answer.score === undefined) return { fault: 'The score is missing.' };
  return { answer: answer.score < grader.least_score ? { ...answer, verdict: 'fail' } : answer };
}

/** Keeps only the numbers that the grader names. */
function withNamedNumbers({ score, metrics, ...answer }: GraderAnswer, grader: GraderSpec): GraderAnswer {
  const named = Object.entries(metrics ?? {}).filter(([name]) => grader.metrics?.[name] !== undefined);
  return {
    ...answer,
    ...(describeScore(grader) !== undefined && score !== undefined && { score }),
    ...(named.length > 0 && { metrics: Object.fromEntries(named) }),
  };
}

function systemPrompt({ question, pass_when, fail_when, examples = [] }: GraderSpec, prompt: string): string {
  const shown = examples.map(({ said, verdict, reason }) => JSON.stringify({ said, verdict, reason }));
  return fillTemplate(prompt, {
    question,
    passWhen: pass_when,
    failWhen: fail_when,
    examples: shown.length === 0 ? '' : `\nJudged by people:\n${shown.join('\n')}`,
  }).trim();
}
