/**
 * What each shipped policy makes of one small conversation, word for word: requests, views, receipts and changes of three
 * rewrites. Read the difference before you accept it: these texts are what a model is shown.
 */
import { expect, test } from 'vitest';
import {
  changesOf,
  ephemeralEntry,
  itemEntry,
  listItems,
  memoryEntry,
  planCompaction,
  recapEntry,
  shouldCompact,
  summaryRequest,
  serverRequest,
  view,
} from '../../src/context/index.ts';
import { drawContext } from '../../src/context-lab/picture.ts';
import { renderReact } from '../support/react-text.ts';
import { getText } from '../../src/transcript/message.ts';
import {
  compactBy,
  faultOf,
  fewMessages,
  POLICY_NAMES,
  shippedPolicy,
  smallCore,
  type PolicyName,
} from '../support/policies.ts';
import { createLog, type Log } from '../support/transcripts.ts';
import { imageOf, paddedPng } from '../support/images.ts';

const TASK =
  '<init_to_execute_context round="1" execution_output_dir="out/i1" design_dir="design/r1">Build it, and keep R7.</init_to_execute_context>';
const PICTURE = imageOf(paddedPng());
const lines = (word: string, count: number) => Array.from({ length: count }, (_, n) => `${word} ${n + 1}`).join('\n');

/** All that a session may hold, in little. */
function work(log: Log, from: number): void {
  const result = (n: number) => ({
    tool: 'read',
    input: { file_path: `src/f${n}.ts` },
    result: lines(`line of f${n}`, 60),
  });
  log.step(
    [result(from), { tool: 'bash', input: { command: 'npm test' }, result: `${lines('out', 40)}\nERROR: exit 1` }],
    {
      think: `thought ${from}`,
      say: `Looking at f${from}.`,
    },
  );
  log.step([
    { tool: 'write', input: { file_path: `out/i1/t${from}.mjs`, content: lines('code', 70) }, result: 'wrote it' },
  ]);
  log.step([
    { tool: 'todo_write', input: { todos: [{ id: 'a', text: `check ${from}`, status: 'pending' }] }, result: 'ok' },
  ]);
  log.step([
    { tool: 'grep', input: { pattern: 'x' }, result: lines('match', 30) },
    { tool: 'nope', result: 'no such tool', error: true },
  ]);
  log.step([{ tool: 'read', input: { file_path: 'a.png' }, result: [{ type: 'text', text: 'a.png' }, PICTURE] }]);
  log.says(`Part ${from} is done.`, { think: 'good' });
  log.human(`And now part ${from + 1}, 中文也可以。`);
}

function begun(): Log {
  const log = createLog();
  log.user(TASK);
  log.append(itemEntry('skill_prompt', '<skill>how to build</skill>'));
  log.append({ type: 'layer', name: 'project_rules', text: 'Tabs.', note: 'The rules changed.' });
  log.append({
    type: 'message',
    origin: 'reminder',
    message: { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
  });
  work(log, 1);
  return log;
}

const smallArchive = (name: PolicyName) => (shippedPolicy(name).summary.archive === undefined ? {} : { archive: 900 });

const small = (name: PolicyName) =>
  smallCore(
    name,
    {
      trigger: { tokens: 4200, reserve: 500, ...fewMessages(name) },
      target: { ratio: 0.8, steps: undefined },
      keep: { maxTokens: 1200, steps: 2 },
      longResult: { over: 120, head: 40, tail: 30, errors: 30 },
      summary: { maxOutputTokens: 2000, maxTokens: 350, ...smallArchive(name) },
      facts: { earlier: 150, index: 200, messages: 200 },
    },
    { model: { systemMessages: true }, budget: { window: 12_000, maxOutput: 1500, floor: 200 } },
  );

function told(log: Log, name: PolicyName): string {
  const core = small(name);
  const parts: string[] = [];
  const say = (title: string, body: unknown) =>
    parts.push(`## ${title}`, typeof body === 'string' ? body : JSON.stringify(body, undefined, 1), '');
  for (let round = 1; round <= 3; round += 1) {
    const pressure = shouldCompact(log.entries, core, { cacheCold: round === 2 });
    say(`round ${round}: pressure`, { ...pressure, load: undefined });
    const plan = planCompaction(log.entries, core, { reason: 'threshold', openGate: 'HITL-1.r2 waits for <ada>' });
    say(
      'plan',
      plan.type === 'cut' ? { ...plan, pressure: undefined, spill: plan.spill.map(({ entry }) => entry) } : plan,
    );
    if (plan.type !== 'cut') break;
    const request = summaryRequest(log.entries, core, plan);
    say('request', request === undefined ? 'none' : getText(request.messages.at(-1) ?? { content: [] }));
    const server = serverRequest(log.entries, core, plan);
    if (server !== undefined) say('server', { ...server, messages: server.messages.length });
    const { accepted } = compactBy(log, core, [`fact ${round} holds [#e${round + 4}]`, 'R7 goes first [#e1]']);
    say('receipt', accepted?.ok === true ? accepted.entry.receipt : accepted);
    const shown = view(log.entries);
    say('view', renderReact(shown.messages));
    say('beside', {
      ...shown,
      messages: shown.messages.map(({ role, content }) => `${role}: ${content.map(({ type }) => type).join(' ')}`),
    });
    expect(faultOf(log.entries)).toBeUndefined();
    for (const more of [
      memoryEntry(log.entries, core, 'e1', ['a receipt']),
      recapEntry(log.entries, core),
      ephemeralEntry('the screen', true),
    ])
      if (more !== undefined) log.append(more);
    work(log, round + 1);
  }
  say('items', listItems(log.entries, core));
  say('changes', changesOf(log.entries));
  const { history, ...picture } = drawContext(log.entries);
  say('picture', {
    ...picture,
    rows: picture.rows.map(
      ({ parts: kinds, ...row }) =>
        `${JSON.stringify(row)} ${kinds.map(({ kind, tokens }) => `${kind} ${tokens}`).join(', ')}`,
    ),
  });
  say(
    'history',
    history.compactions.map(({ entry, afterCalls }) => `${entry} after ${afterCalls}`),
  );
  return `${parts.join('\n')}\n`;
}

test.each(POLICY_NAMES)('%s', async (name) => {
  await expect(told(begun(), name)).toMatchFileSnapshot(`golden/${name}.txt`);
});
