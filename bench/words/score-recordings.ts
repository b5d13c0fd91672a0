/** Counts what code flags in the recorded conversations of tau benchmarks (`$TANDEM_RECORDINGS`), with their policies where they stand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { listSentences, findFalseStatements } from '../../src/evaluation/statements/find-false-statements.ts';
import { parseJson } from '../../src/parse-json.ts';
import type { TraceLine } from '../../src/scenario/trace.ts';

type Called = { id: string; name?: string; arguments?: unknown; function?: { name: string; arguments: string } };
type Message = {
  role: string;
  content?: string | null;
  tool_calls?: Called[] | null;
  id?: string;
  tool_call_id?: string;
};

const READING = /^(?:get|find|list|search|check|calculate|think|can|run|transfer)(?:_|$)/;
/** Recordings are no part of the repository. */
const { TANDEM_RECORDINGS } = process.env;
if (TANDEM_RECORDINGS === undefined) throw new Error('Set TANDEM_RECORDINGS to the folder that holds tau/.');
const FOLDER = join(TANDEM_RECORDINGS, 'tau');

function toLines(messages: readonly Message[]): TraceLine[] {
  // Some recordings use one id for several calls.
  const answers = messages.filter(({ role }) => role === 'tool');
  return messages.flatMap((message, step): object[] => {
    if (message.role === 'system' || message.role === 'tool') return [];
    const text = message.content ?? '';
    const said = text === '' ? [] : [{ type: message.role === 'user' ? 'user' : 'says', step, text }];
    const calls = (message.tool_calls ?? []).map((one) => {
      const place = answers.findIndex((answer) => (answer.tool_call_id ?? answer.id) === one.id);
      const output = answers.splice(place, place < 0 ? 0 : 1)[0]?.content ?? '';
      const input = one.arguments ?? parseJson(one.function?.arguments ?? '{}');
      const by = message.role === 'user' ? { by: 'user' } : {};
      const tool = one.name ?? one.function?.name ?? '';
      return {
        type: 'call',
        step,
        tool,
        input,
        output: parseJson(output) ?? output,
        is_error: output.startsWith('Error'),
        change: [],
        ...by,
      };
    });
    return [...said, ...calls];
  }) as TraceLine[];
}

let [messages, sentences] = [0, 0];
const flagged: string[] = [];
for (const name of readdirSync(FOLDER).filter((one) => one.endsWith('.gz'))) {
  const rows = gunzipSync(readFileSync(`${FOLDER}/${name}`))
    .toString('utf8')
    .trimEnd()
    .split('\n');
  const read = rows.map((row) => JSON.parse(row) as { messages: Message[] });
  const calls = read
    .flatMap((row) => row.messages)
    .flatMap((one) => (one.role === 'assistant' ? (one.tool_calls ?? []) : []));
  const tools = new Set(calls.map((one) => one.name ?? one.function?.name ?? ''));
  const changing = [...tools].flatMap((tool) =>
    READING.test(tool) ? [] : [{ name: tool, description: `${tool.replaceAll('_', ' ')}.` }],
  );
  for (const row of read) {
    const given = row.messages.flatMap((one) => (one.role === 'system' ? [one.content ?? ''] : []));
    const lines = toLines(row.messages);
    messages += lines.filter(({ type }) => type === 'says').length;
    sentences += listSentences(lines).length;
    // Each message as the last one, so that every one of them is looked at.
    for (const [at, line] of lines.entries()) {
      if (line.type !== 'says') continue;
      const told = lines.slice(0, at + 1).filter((one, index) => one.type !== 'says' || index === at);
      const found = findFalseStatements({ lines: told, changing, given, isAllKnown: given.length > 0 });
      flagged.push(...found.map(({ text }) => `${name} ${text}`));
    }
  }
}
console.log(`${flagged.length} of ${messages} messages (${sentences} sentences) flagged`);
for (const line of flagged) console.log(`  ${line}`);
