import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandSubject } from '../../../src/adapters/subjects/command-subject.ts';
import type { ConversationStart } from '../../../src/ports/subject.ts';
import { subjectContract } from '../../contracts/subject.contract.ts';
import { scratch } from '../../support/scratch.ts';

const { signal } = new AbortController();
const opening = {
  prompt: 'You switch lamps.',
  tools: [{ name: 'switch', description: 'x', input_schema: { type: 'object' as const } }],
};
const hello = { type: 'user' as const, text: 'Hello' };

/** `body` answers `heard`, the lines so far, with a value that is sent, or with text that is sent as it is. */
async function open(body: string, env: string[] = [], more: Partial<ConversationStart> = {}) {
  const cwd = await scratch();
  const program = `
    const heard = [];
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      heard.push(JSON.parse(line));
      if (heard.at(-1).type === 'open') return;
      const answer = (() => { ${body} })();
      if (answer !== undefined) console.log(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });`;
  await writeFile(join(cwd, 'agent.cjs'), program);
  return commandSubject({ command: [process.execPath, 'agent.cjs'], cwd, env }).open({ ...opening, ...more });
}

subjectContract('a program', async (start, answers) => {
  const cwd = await scratch();
  const program = `
    const answers = JSON.parse(require('node:fs').readFileSync('answers.json', 'utf8'));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      if (JSON.parse(line).type !== 'open' && answers.length > 0) console.log(answers.shift());
    });`;
  await writeFile(join(cwd, 'agent.cjs'), program);
  await writeFile(join(cwd, 'answers.json'), JSON.stringify(answers));
  return commandSubject({ command: [process.execPath, 'agent.cjs'], cwd, env: [] }).open(start);
});

describe('a subject that is a program', () => {
  test('hears the prompt and the tools, then user and results, and answers with words and calls', async () => {
    const talk = await open(`
      if (heard.length === 2) return { say: heard[0].prompt + heard[0].tools[0].name, calls: [{ tool: 'switch', args: { on: true } }], cost_usd: 0.5 };
      return { say: 'Result: ' + heard[2].results[0].output.ok, done: true };`);
    const first = await talk.next(hello, 5000, signal);
    expect(first).toMatchObject({
      says: 'You switch lamps.switch',
      calls: [{ id: 'call_1_1', tool: 'switch', args: { on: true } }],
      costUsd: 0.5,
    });
    const results = [{ id: 'call_1_1', tool: 'switch', output: { ok: true }, is_error: false }];
    const second = await talk.next({ type: 'results', results }, 5000, signal);
    expect(second).toMatchObject({ says: 'Result: true', calls: [], end: { stop: 'done' } });
    await talk.close();
  });

  test('gets the environment that the scenario names, and no key of ours', async () => {
    process.env['SUBJECT_TOKEN'] = 'token';
    process.env['OTHER_KEY'] = 'secret';
    const talk = await open(`return { say: String(process.env.SUBJECT_TOKEN) + process.env.OTHER_KEY }`, [
      'SUBJECT_TOKEN',
    ]);
    expect(await talk.next(hello, 5000, signal)).toMatchObject({ says: 'tokenundefined' });
    await talk.close();
    delete process.env['SUBJECT_TOKEN'];
    delete process.env['OTHER_KEY'];
  });

  test.each([
    ['says', `return { say: 'my key is ' + process.env.SUBJECT_KEY + ' in ' + process.env.SUBJECT_REGION }`],
    ['dies of', `console.error('refused: ' + process.env.SUBJECT_KEY); process.exit(3)`],
    ['answers no JSON but', `return process.env.SUBJECT_KEY`],
  ])('a secret that it %s is in nothing that is written down', async (_how, body) => {
    process.env['SUBJECT_KEY'] = 'key-of-a-gateway';
    process.env['SUBJECT_REGION'] = 'eu-central-1';
    const exchanges: string[] = [];
    const talk = await open(body, ['SUBJECT_KEY', 'SUBJECT_REGION'], {
      onExchange: ({ request, answer }) => exchanges.push(request + Buffer.from(answer).toString()),
    });
    const turn = await talk.next(hello, 5000, signal);
    expect(JSON.stringify([turn, exchanges])).not.toContain('key-of-a-gateway');
    expect(JSON.stringify(turn)).toContain('(secret)');
    if (turn.end === undefined) expect(turn.says).toContain('eu-central-1');
    await talk.close();
    delete process.env['SUBJECT_KEY'];
    delete process.env['SUBJECT_REGION'];
  });

  test('a long secret that it repeats until its words are cut is not shown in part', async () => {
    process.env['SUBJECT_KEY'] = 'planted.'.repeat(150);
    const flood = `for (let n = 0; n < 9; n += 1) console.error(process.env.SUBJECT_KEY); process.exit(3)`;
    const talk = await open(flood, ['SUBJECT_KEY']);
    const turn = await talk.next(hello, 5000, signal);
    expect(JSON.stringify(turn)).toContain('(secret)');
    expect(JSON.stringify(turn)).not.toContain('planted');
    await talk.close();
    delete process.env['SUBJECT_KEY'];
  });

  test.each<[string, string, string, string]>([
    ['answers no JSON', `return 'hello'`, 'crashed', 'no JSON: hello'],
    ['answers another shape', `return { says: 'hello' }`, 'crashed', 'does not fit {say, calls'],
    ['ends', `console.error('out of order'); process.exit(3)`, 'crashed', 'exit code 3) out of order'],
    ['answers without an end', `return 'x'.repeat(5_000_000)`, 'crashed', 'longer than'],
  ])('one that %s has failed, and it is told how', async (_title, body, stop, detail) => {
    const talk = await open(body);
    const turn = await talk.next(hello, 5000, signal);
    expect(turn.end).toMatchObject({ stop, detail: expect.stringContaining(detail) });
    await talk.close();
  });

  test('one that does not answer in time is stopped with all that it started; an abort rejects', async () => {
    const talk = await open(`require('node:child_process').spawn('sleep', ['30'])`);
    expect(await talk.next(hello, 100, signal)).toMatchObject({ end: { stop: 'seconds' } });
    const controller = new AbortController();
    const waiting = talk.next(undefined, 5000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await talk.close();
  });

  test('one that cannot be started says nothing about the subject', async () => {
    const talk = await commandSubject({ command: ['no-such-program-here'], cwd: await scratch(), env: [] }).open(
      opening,
    );
    expect((await talk.next(hello, 5000, signal)).end).toMatchObject({ stop: 'infrastructure', detail: /ENOENT/ });
    await talk.close();
  });
});
