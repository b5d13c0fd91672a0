/** What a request shows to a script: user text, what the assistant said and called, and the facts that code carried. */
import type { ScriptCall } from './script.ts';
import type { ApiRequest } from './shape.ts';
import { blocksOf } from './turns.ts';

export type SeenCall = { name: string; input: Record<string, unknown> };
/** One assistant message. */
export type Spoken = { message: number; text: string; calls: SeenCall[] };
/** One text block of a user message. */
export type UserText = { message: number; text: string };
export type LedgerLine = { message: number; path: string; verbs: string[]; id?: string };

export type Sight = {
  system: string;
  userTexts: UserText[];
  spoken: Spoken[];
  ledger: LedgerLine[];
  /** The id of the carried task. */
  task?: string;
  asksForSummary: boolean;
};

const LEDGER = /<file_ledger>([\s\S]*?)<\/file_ledger>/g;
const LEDGER_LINE = /^- (.+): ((?:read|wrote|edited)(?:, (?:read|wrote|edited))*)(?: \[#(e\d+)\])?\s*$/;
const TASK = /<carried_task id="(e\d+)">/;
const SUMMARY_REQUEST = '<compaction_request>';
const SUMMARY = '<compact_summary>';

/** The verb under which the ledger books a tool. */
const VERBS: Readonly<Record<string, string>> = { read: 'read', write: 'wrote', edit: 'edited' };

export function lookAt(request: ApiRequest): Sight {
  const [first] = request.messages.flatMap(({ content }) => blocksOf(content));
  // Behind a block of the API the carried facts come after the kept steps, but they speak of what was before them.
  const placeOf = (text: string, message: number) =>
    first?.type === 'compaction' && text.includes('<carried_facts>') ? 0 : message;
  const userTexts = request.messages.flatMap(({ role, content }, message) =>
    role === 'user'
      ? blocksOf(content).flatMap((block) =>
          block.type === 'text' ? [{ message: placeOf(block.text, message), text: block.text }] : [],
        )
      : [],
  );
  const newest = userTexts.at(-1)?.message;
  const task = userTexts.map(({ text }) => TASK.exec(text)?.[1]).findLast((id) => id !== undefined);
  return {
    system: blocksOf(request.system ?? '')
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('\n'),
    userTexts,
    spoken: spokenIn(request),
    ledger: userTexts.flatMap(ledgerIn),
    ...(task === undefined ? {} : { task }),
    asksForSummary: userTexts.some(({ message, text }) => message === newest && text.includes(SUMMARY_REQUEST)),
  };
}

/** A summary stands in the assistant's place, but no step said it. */
function spokenIn(request: ApiRequest): Spoken[] {
  return request.messages.flatMap(({ role, content }, message) => {
    if (role !== 'assistant') return [];
    const blocks = blocksOf(content);
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const calls = blocks.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
    );
    return text.includes(SUMMARY) ? [] : [{ message, text, calls }];
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

/** Whether the ledger proves a call that is no longer visible itself. */
export function isInLedger(ledger: readonly LedgerLine[], { tool, input }: ScriptCall): boolean {
  const verb = VERBS[tool];
  return verb !== undefined && ledger.some(({ path, verbs }) => path === input['file_path'] && verbs.includes(verb));
}
