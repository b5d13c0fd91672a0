/** Answers and errors that one more try cures, and those that stop for a person: whole runs, and what `resume` makes of them. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { lastJson } from '../support/cli.ts';
import { relayedDesk, type Meddle, type RelayedDesk, type Who } from '../support/relay.ts';
import { answers, refuses, says, streams, eventsOf, type Reply } from '../support/scripted-server.ts';
import { call, response } from '../support/responses.ts';

let desk: RelayedDesk;
afterEach(async () => desk.close());

const RUN = ['run', 'desk', '--id', 'one', '--profile', 'fast', '--on-gate', 'exit', '--json'];
const AUTO = ['run', 'desk', '--id', 'one', '--profile', 'fast', '--on-gate', 'auto:demo', '--json'];
const RESUME = ['resume', 'one', '--on-gate', 'exit', '--json'];

/** For the calls of one agent with these numbers, all from the first one on if there are none. */
function only(who: Who, reply: Reply, ...numbers: number[]): Meddle {
  return ({ path, who: asked, number }) =>
    path === '/v1/messages' && asked === who && (numbers.length === 0 || numbers.includes(number)) ? reply : undefined;
}

const asked = (who: Who, path = '/v1/messages') => desk.seen.filter((one) => one.who === who && one.path === path);

/** With `stop_details`, as the API gives them (docs/internals/api-rules.md §2.8). */
function refusal(explanation: string): Reply {
  const events = eventsOf(response([], 'refusal')).map((event) =>
    event['type'] === 'message_delta'
      ? {
          ...event,
          delta: { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber', explanation } },
        }
      : event,
  );
  return streams(events);
}

describe('an answer that cannot be used', () => {
  const BAD: readonly [string, Reply][] = [
    ['a refusal', refusal('Once.')],
    [
      'an id of a tool call that is there twice',
      answers(response([...call('read', {}, 'toolu_1').content, ...call('read', {}, 'toolu_1').content], 'tool_use')),
    ],
  ];

  test.each(BAD)('%s is asked for again, and the run goes on', async (_name, reply) => {
    desk = await relayedDesk(only('init', reply, 2));
    const done = await desk.tandem(RUN);
    expect(done.code).toBe(4);
    expect(asked('init')).toHaveLength(5);
    const [ledger] = [lastJson(done)['modelCalls']];
    expect(ledger).toBe(5);
  });

  test('a pause of a turn is no answer to ask for again: the next request ends with it, and the run goes on', async () => {
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
    desk = await relayedDesk(({ path, who, number }) =>
      path === '/v1/messages' && (who === 'init' || who === 'execute') && number === 2
        ? answers(response([{ type: 'unknown', wire: search }], 'pause_turn'))
        : undefined,
    );
    const done = await desk.tandem(AUTO);
    expect(done.code).toBe(0);
    for (const who of ['init', 'execute'] as const) {
      const [, , third] = asked(who);
      expect(third?.body.messages?.at(-1)).toMatchObject({ role: 'assistant', content: [search] });
      const later = JSON.stringify(asked(who).at(-1)?.body.messages);
      expect(later.split('"server_tool_use"')).toHaveLength(later.split('"web_search_tool_result"').length);
    }
  });

  test('a model that always refuses stops the run with its words and code 8; resume asks it again, and goes on', async () => {
    desk = await relayedDesk(only('init', refusal('This is about locks.')));
    const stopped = await desk.tandem(RUN);
    expect(stopped.code).toBe(8);
    expect(stopped.stderr).toContain('refused to answer (cyber): This is about locks.');
    expect(lastJson(stopped)).toMatchObject({ status: 'errored' });
    expect((await desk.tandem(['status', 'one'])).stdout).toMatch(/This\s+is about locks\./);
    expect((await desk.tandem(['report', 'one'])).stdout).toMatch(/This\s+is about locks\./);
    const before = asked('init').length;
    expect((await desk.tandem(RESUME)).code).toBe(8);
    expect(asked('init').length).toBe(before + 2);
    desk.meddle(() => undefined);
    expect((await desk.tandem(RESUME)).code).toBe(4);
  });

  test('a refusal goes to the fallback model that the agent names, until the turn ends', async () => {
    desk = await relayedDesk(({ path, who, body }) =>
      path === '/v1/messages' && who === 'init' && body.model === 'claude-opus-5-5' && (body.messages ?? []).length > 2
        ? refusal('No.')
        : undefined,
    );
    await agentWith(desk, 'init', 'fallback_model: claude-sonnet-5-5');
    const done = await desk.tandem(RUN);
    expect(done.code).toBe(4);
    expect(done.stderr).toContain('The fallback model of the agent goes on');
    const models = asked('init').map(({ body }) => body.model);
    expect(models.slice(0, 3)).toEqual(['claude-opus-5-5', 'claude-opus-5-5', 'claude-opus-5-5']);
    expect(new Set(models.slice(3))).toEqual(new Set(['claude-sonnet-5-5']));
  });

  test('the last remembered answer can be discarded, and is asked for again', async () => {
    const empty = answers(response([], 'end_turn'));
    desk = await relayedDesk(({ path, who, number }) =>
      path === '/v1/messages' && who === 'init' && number >= 2 ? empty : undefined,
    );
    const stopped = await desk.tandem(RUN);
    expect(stopped.code).toBe(8);
    expect(stopped.stderr).toContain('tandem resume one --discard-last-answer');
    const before = asked('init').length;
    desk.meddle(() => undefined);
    expect((await desk.tandem(RESUME)).code).toBe(8);
    expect(asked('init')).toHaveLength(before);
    const resumed = await desk.tandem([...RESUME, '--discard-last-answer']);
    expect(resumed.stderr).toContain('is discarded: the call is made and paid again');
    expect(resumed.code).toBe(4);
    expect(asked('init').length).toBeGreaterThan(before);
    const journal = await desk.tandem(['verify', 'one']);
    expect(journal.code).toBe(0);
  });
});

describe('a request that is refused', () => {
  const TOO_LONG = refuses(400, 'invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum');

  test.each([
    ['prompt is too long', TOO_LONG],
    ['413, not in the shape of the API', says('<html>too large</html>', 413, { 'content-type': 'text/html' })],
    ['a window that is exceeded', answers(response([{ type: 'text', text: 'half' }], 'model_context_window_exceeded'))],
  ])('%s: compacted, and tried once more', async (_name, reply) => {
    desk = await relayedDesk(only('init', reply, 3));
    const policy = join(desk.project, 'scenarios/desk/policies/lending.md');
    await appendFile(policy, `\n${'A loan is a loan, and a book is a book. '.repeat(900)}\n`);
    const done = await desk.tandem(RUN);
    expect(done.stderr).toContain('The context is compacted');
    expect(done.code).toBe(4);
  });

  test('a thinking signature of another conversation: tried once more without thinking, and nothing paid is lost', async () => {
    const message =
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
    desk = await relayedDesk(only('execute', refuses(400, 'invalid_request_error', message), 3));
    const done = await desk.tandem(AUTO);
    expect(done.stderr).toContain('once more without thinking');
    expect(done.code).toBe(0);
    expect(lastJson(done)).toMatchObject({ status: 'succeeded' });
  });
});

describe('gateways', () => {
  test('404 for a model is no missing model: config/models.yaml counts, and that is said; an address may end in /v1', async () => {
    desk = await relayedDesk(({ path }) =>
      path.startsWith('/v1/models') ? refuses(404, 'not_found_error', 'not found') : undefined,
    );
    const done = await desk.tandem(RUN, { ANTHROPIC_BASE_URL: `${desk.url}/v1` });
    expect(done.code).toBe(4);
    expect(done.stderr).toContain('come from config/models.yaml');
    expect(new Set(desk.seen.map(({ path }) => path.split('?')[0]))).not.toContain('/v1/v1/messages');
  });
});

/** The project's own copy of an agent, with one line more. */
async function agentWith({ project }: RelayedDesk, agent: string, line: string): Promise<void> {
  const dir = join(project, 'agents', agent);
  await mkdir(dir, { recursive: true });
  for (const file of ['agent.yaml', 'summary.yaml', 'system_prompt.md']) {
    const text = await readFile(join('agents', agent, file), 'utf8');
    await writeFile(join(dir, file), file === 'agent.yaml' ? `${text}\n${line}\n` : text);
  }
}
