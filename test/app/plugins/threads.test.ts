/** Plugins in threads: what they take and give is as in this process, and one that ends its thread ends nothing else. One that loops: test/slow/plugin-loops.test.ts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { threadedPlugin } from '../../../src/app/plugins/threads.ts';
import type { Home } from '../../../src/config/home.ts';

const CONFIG = `let times = 0;
export default {
  tools: {
    echo: { description: 'x', input_schema: { type: 'object' }, run: ({ text }) => ({ text, times: (times += 1) }) },
    nothing: { description: 'x', input_schema: { type: 'object' }, run: () => undefined },
    fails: {
      description: 'x', input_schema: { type: 'object' },
      run() { throw new Error('no paper'); },
    },
    waits: {
      description: 'x', input_schema: { type: 'object' },
      run: (input, signal) => new Promise((done, fail) => {
        signal.addEventListener('abort', () => { times = 100; fail(signal.reason); });
      }),
    },
    leaves: { description: 'x', input_schema: { type: 'object' }, run: () => process.exit(3) },
  },
  subjects: {
    counts: (start, { from }) => {
      let turn = from;
      const answer = ({ text }) => (text === 'leave' ? process.exit(3) : { say: start.prompt + ' ' + (turn += 1) + ' ' + text });
      return { answer, close: () => {} };
    },
  },
};
`;

let home: Home;
beforeAll(async () => {
  const project = await mkdtemp(join(tmpdir(), 'plugin-threads-'));
  await writeFile(join(project, 'tandem.config.mjs'), CONFIG);
  home = { project, shipped: resolve('.') };
});
afterAll(() => rm(home.project, { recursive: true }));

const { signal } = new AbortController();
const tool = async (name: string) => threadedPlugin(home, { kind: 'tools', name }, 'here');
const run = async (name: string, input: object = {}, within = signal) =>
  (await tool(name)).code.run(input as Record<string, unknown>, within);

describe('a plugin in a thread', () => {
  test('answers as it would in this process, and remembers from call to call', async () => {
    expect(await run('echo', { text: 'ä' })).toEqual({ text: 'ä', times: 1 });
    expect(await Promise.all([run('echo', { text: 'b' }), run('echo', { text: 'c' })])).toEqual([
      { text: 'b', times: 2 },
      { text: 'c', times: 3 },
    ]);
    expect(await run('nothing')).toBeUndefined();
  });

  test('is named with its file and line when it throws, and by its name when it does not exist', async () => {
    await expect(run('fails')).rejects.toThrow('tandem.config.mjs:8: the plugin tools.fails failed: no paper');
    await expect(run('eco')).rejects.toThrow('here: no plugin tools.eco in tandem.config.mjs. Did you mean "echo"?');
  });

  test('a subject has each conversation to itself', async () => {
    const { code } = await threadedPlugin(home, { kind: 'subjects', name: 'counts' }, 'here');
    const start = { prompt: 'Turn', tools: [] };
    const [one, other] = [await code(start, { from: 0 }), await code(start, { from: 10 })];
    const hello = { type: 'user' as const, text: 'hi' };
    expect(await one.answer(hello, signal)).toEqual({ say: 'Turn 1 hi' });
    expect(await other.answer(hello, signal)).toEqual({ say: 'Turn 11 hi' });
    expect(await one.answer(hello, signal)).toEqual({ say: 'Turn 2 hi' });
    await one.close?.();
  });

  test('a conversation whose thread another one has ended is a fault of the plugin, and never an empty answer', async () => {
    const { code } = await threadedPlugin(home, { kind: 'subjects', name: 'counts' }, 'here');
    const open = () => code({ prompt: 'Turn', tools: [] }, { from: 0 });
    const [one, other] = [await open(), await open()];
    await expect(one.answer({ type: 'user', text: 'leave' }, signal)).rejects.toThrow(
      'subjects.counts ended its thread',
    );
    await expect(other.answer({ type: 'user', text: 'hi' }, signal)).rejects.toThrow(
      /the plugin subjects\.counts failed: .*another conversation/,
    );
    await other.close?.();
    expect(await (await open()).answer({ type: 'user', text: 'hi' }, signal)).toEqual({ say: 'Turn 1 hi' });
  });

  test('is told of an abort, and who called hears at once', async () => {
    const stop = new AbortController();
    const waiting = run('waits', {}, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  test('that ends its thread takes nothing else along', async () => {
    await expect(run('leaves')).rejects.toThrow('the plugin tools.leaves ended its thread');
    expect(await run('echo', { text: 'still' })).toMatchObject({ text: 'still' });
  });
});
