/** Asks a small model once for the input of one tool: its schema is what the model is shown, and what its answer is read by. */
import { z } from 'zod';
import { computeCost } from '../../ports/model.ts';
import { listToolUses, type Usage } from '../../transcript/message.ts';
import type { UserModel } from './model-user.ts';
import { callSubject, subjectRequest, type Subject, type SubjectResponse } from './subject-turn.ts';

export type InputQuestion<Input> = {
  tool: { name: string; description: string; schema: z.ZodType<Input> };
  texts: readonly string[];
  /** Texts at the end that differ from question to question. Default: 0. */
  passing?: number;
  leftMs: number;
};

type Asked<Input> =
  | Extract<SubjectResponse, { type: 'stopped' }>
  | { type: 'answered'; input: Input | undefined; usage: Usage; costUsd: number };

const MAX_TOKENS = 1024;

/** Contract: an answer that does not fit the schema is undefined, and paid all the same. */
export async function askForInput<Input>(
  settings: Omit<UserModel, 'tools'>,
  { tool: { name, description, schema }, texts, passing, leftMs }: InputQuestion<Input>,
  signal: AbortSignal,
): Promise<Asked<Input>> {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input' });
  const tools = [{ name, description, input_schema: { ...shape, type: 'object' as const } }];
  const player: Subject = { ...settings, model: settings.name, tools, maxTokens: MAX_TOKENS };
  const messages = texts.map((text) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] }));
  const request = subjectRequest(player, messages, passing);
  const called = await callSubject(settings.model, request, { by: 'user', leftMs, signal });
  if (called.type === 'stopped') return called;
  const { content, usage } = called.response;
  const read = schema.safeParse(listToolUses({ content })[0]?.input);
  return { type: 'answered', input: read.data, usage, costUsd: computeCost(usage, settings.price) };
}
