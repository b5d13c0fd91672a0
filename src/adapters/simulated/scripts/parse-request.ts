/** Reads from a request what scripts match on: user text, the assistant's text and calls, and the carried facts. */
import { z } from 'zod';
import type { ScriptCall } from './script.ts';
import { type ApiRequest, toContentBlocks } from '../request/shape.ts';
import { parseJson } from '../../../parse-json.ts';

export type ParsedCall = { name: string; input: Record<string, unknown> };
/** One assistant message. */
export type ParsedAssistantMessage = { message: number; text: string; calls: ParsedCall[] };
/** One text block of a user message. */
export type UserText = { message: number; text: string };
export type LedgerLine = { message: number; path: string; verbs: string[]; id?: string };

/** A call that must not be forgotten, with the beginning of its input as JSON. */
export type DecisionLine = { message: number; tool: string; input: string };

export type ParsedRequest = {
  system: string;
  userTexts: UserText[];
  spoken: ParsedAssistantMessage[];
  ledger: LedgerLine[];
  decisions: DecisionLine[];
  /** The id of the carried task. */
  task?: string;
  asksForSummary: boolean;
  /** The fields that the request asks for, as the skeleton in which it shows them. */
  fields?: Record<string, unknown>;
};

const Skeleton = z.record(z.string(), z.unknown());
const LEDGER = /<file_ledger>([\s\S]*?)<\/file_ledger>/g;
const LEDGER_LINE = /^- (.+): ((?:read|wrote|edited)(?:, (?:read|wrote|edited))*)(?: \[#(e\d+)\])?\s*$/;
const DECISIONS = /<carried_decisions>([\s\S]*?)<\/carried_decisions>/g;
const DECISION_LINE = /^- (\w+) (\{.*?) -> .*\[#e\d+\]\s*$/;
const TASK = /<carried_task id="(e\d+)">/;
const SUMMARY_REQUEST = '<compaction_request>';
const SUMMARY = '<compact_summary>';

/** The verb by which the ledger lists a tool. */
const VERBS: Readonly<Record<string, string>> = { read: 'read', write: 'wrote', edit: 'edited' };

export function parseRequest(request: ApiRequest): ParsedRequest {
  const [first] = request.messages.flatMap(({ content }) => toContentBlocks(content));
  // After a block of the API the carried facts follow the retained steps, but describe what came before them.
  const placeOf = (text: string, message: number) =>
    first?.type === 'compaction' && text.includes('<carried_facts>') ? 0 : message;
  const userTexts = request.messages.flatMap(({ role, content }, message) =>
    role === 'user'
      ? toContentBlocks(content).flatMap((block) =>
          block.type === 'text' ? [{ message: placeOf(block.text, message), text: block.text }] : [],
        )
      : [],
  );
  const newest = userTexts.at(-1)?.message;
  const summarising = userTexts.findLast(({ message, text }) => message === newest && text.includes(SUMMARY_REQUEST));
  const fields = summarising && fieldsIn(summarising.text);
  const task = userTexts.map(({ text }) => TASK.exec(text)?.[1]).findLast((id) => id !== undefined);
  return {
    system: toContentBlocks(request.system ?? '')
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('\n'),
    userTexts,
    spoken: spokenIn(request),
    ledger: userTexts.flatMap(ledgerIn),
    decisions: userTexts.flatMap(decisionsIn),
    ...(task === undefined ? {} : { task }),
    asksForSummary: summarising !== undefined,
    ...(fields === undefined ? {} : { fields }),
  };
}

/** Finds the first JSON object of the request that is on separate lines. */
function fieldsIn(text: string): Record<string, unknown> | undefined {
  const request = text.slice(text.lastIndexOf(SUMMARY_REQUEST));
  const [json] = /^\{$[\s\S]*?^\}$/m.exec(request) ?? [];
  return Skeleton.safeParse(json === undefined ? undefined : parseJson(json)).data;
}

/** Skips the summary and the beginning of a paused answer, which have the assistant's role although no step wrote them. */
function spokenIn(request: ApiRequest): ParsedAssistantMessage[] {
  return request.messages.flatMap(({ role, content }, message) => {
    if (role !== 'assistant') return [];
    const blocks = toContentBlocks(content);
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const calls = blocks.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
    );
    const done = new Set(blocks.map((block) => (block.type === 'web_search_tool_result' ? block.tool_use_id : '')));
    const isPaused = blocks.some((block) => block.type === 'server_tool_use' && !done.has(block.id));
    return text.includes(SUMMARY) || isPaused ? [] : [{ message, text, calls }];
  });
}

function ledgerIn({ message, text }: UserText): LedgerLine[] {
  return [...text.matchAll(LEDGER)]
    .flatMap(([, body = '']) => body.split('\n'))
    .flatMap((line) => {
      const [, path, verbs, id] = LEDGER_LINE.exec(line.trim()) ?? [];
      if (path === undefined || verbs === undefined) return [];
      return [{ message, path, verbs: verbs.split(', '), ...(id === undefined ? {} : { id }) }];
    });
}

function decisionsIn({ message, text }: UserText): DecisionLine[] {
  return [...text.matchAll(DECISIONS)]
    .flatMap(([, body = '']) => body.split('\n'))
    .flatMap((line) => {
      const [, tool, input] = DECISION_LINE.exec(line.trim()) ?? [];
      return tool === undefined || input === undefined ? [] : [{ message, tool, input }];
    });
}

/** True when the carried facts prove a call that is no longer visible itself. */
export function isInFacts(
  { ledger, decisions }: Pick<ParsedRequest, 'ledger' | 'decisions'>,
  { tool, input }: Pick<ScriptCall, 'tool' | 'input'>,
): boolean {
  const verb = VERBS[tool];
  if (verb !== undefined && ledger.some(({ path, verbs }) => path === input['file_path'] && verbs.includes(verb)))
    return true;
  const text = JSON.stringify(input).replaceAll(/\s+/g, ' ');
  return decisions.some((line) => line.tool === tool && text.startsWith(line.input));
}
