/** packages/context, packed and installed into an empty folder with nothing else: its agents run on the plain SDK, on `ai` and on `openai`. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulator } from '../../src/app/models/offline-model.ts';
import { says, startScriptedServer } from '../support/scripted-server.ts';

const run = promisify(execFile);
const EXAMPLES = 'examples/own-agent';
let place: string;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'tandem-context-'));
  await run('npm', ['run', 'build:context', '--silent']);
  await run('npm', ['pack', '--pack-destination', place, '--silent'], { cwd: 'packages/context' });
  const tarball = (await readdir(place)).find((name) => name.endsWith('.tgz')) ?? '';
  await writeFile(join(place, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--offline', join(place, tarball)], { cwd: place });
});
afterAll(() => rm(place, { recursive: true, force: true }));

test('it is installed alone, and one file of it loads Node and nothing else', async () => {
  const installed = (await readdir(join(place, 'node_modules'))).filter((name) => !name.startsWith('.'));
  expect(installed).toEqual(['tandem-context']);
  const { dependencies } = JSON.parse(
    await readFile(join(place, 'node_modules/tandem-context/package.json'), 'utf8'),
  ) as {
    dependencies?: object;
  };
  expect(dependencies).toBeUndefined();
  const probe = `import { registerHooks } from 'node:module'; const seen = [];
    registerHooks({ load: (url, context, next) => { seen.push(url); return next(url, context); } });
    await import('tandem-context'); console.log(JSON.stringify(seen.filter((url) => !url.startsWith('node:'))));`;
  await writeFile(join(place, 'probe.mjs'), probe);
  const { stdout } = await run(process.execPath, [join(place, 'probe.mjs')], { cwd: place });
  expect((JSON.parse(stdout) as string[]).map((url) => url.split('/').at(-1))).toEqual(['context.js']);
});

async function closing<T>(work: Promise<T>, server: { close: () => Promise<void> }): Promise<T> {
  try {
    return await work;
  } finally {
    await server.close();
  }
}

/** The vendors' packages come from this checkout: they are the user's, not the package's. */
async function writeAgents(name = 'agents'): Promise<string> {
  const folder = join(place, name);
  await mkdir(join(folder, 'node_modules/@ai-sdk'), { recursive: true });
  for (const vendor of ['@anthropic-ai', 'ai', 'openai', '@ai-sdk/anthropic'])
    await symlink(resolve('node_modules', vendor), join(folder, 'node_modules', vendor));
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  for (const file of await readdir(EXAMPLES)) {
    if (!file.endsWith('.ts')) continue;
    const text = await readFile(join(EXAMPLES, file), 'utf8');
    await writeFile(join(folder, file), text.replaceAll('tandem-harness/context', 'tandem-context'));
  }
  await cp(join(EXAMPLES, 'simulation'), join(folder, 'simulation'), { recursive: true });
  return folder;
}

test('the agents of the examples read a book longer than their context, on the plain SDK and on the AI SDK', async () => {
  const folder = await writeAgents();
  for (const file of ['agent.ts', 'ai-sdk-agent.ts']) {
    const simulator = await startSimulator({ simulationDir: join(folder, 'simulation') });
    const env = { PATH: process.env['PATH'] ?? '', ANTHROPIC_BASE_URL: simulator.url, ANTHROPIC_API_KEY: 'offline' };
    const { stdout } = await closing(run(process.execPath, [join(folder, file)], { cwd: folder, env }), simulator);
    const { said, receipts } = JSON.parse(stdout) as { said: string; receipts: object[] };
    expect(said).toContain('The lighthouse goes dark.');
    expect(receipts).toMatchObject([{ outcome: 'compacted', stepsKept: 3, policy: 'demo' }]);
    expect(simulator.requests.every(({ status }) => status === 200)).toBe(true);
  }
  const choice = {
    index: 0,
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'It ends well.', refusal: null },
  };
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  const answer = { id: 'c', object: 'chat.completion', created: 1, model: 'local', choices: [choice], usage };
  const server = await startScriptedServer([says(answer)]);
  const agent = `import OpenAI from 'openai';
    import { chatCompletions, openContext } from 'tandem-context';
    const client = new OpenAI({ baseURL: '${server.url}', apiKey: 'none' });
    const call = (request) => client.chat.completions.create(request);
    const model = { id: 'local', window: 32_000, maxOutput: 2_000 };
    const context = await openContext({ model, system: 'You read.', shape: chatCompletions([]) });
    context.push({ role: 'user', content: 'How does it end?' });
    context.push(await call(await context.request(call)));
    console.log(context.recall(context.entries.at(-1).id));`;
  await writeFile(join(folder, 'openai-agent.mjs'), agent);
  const { stdout } = await closing(run(process.execPath, [join(folder, 'openai-agent.mjs')], { cwd: folder }), server);
  expect(stdout).toContain('It ends well.');
  expect(server.received[0]?.body).toMatchObject({ model: 'local', messages: [{ role: 'system' }, { role: 'user' }] });
});

test('messages that are written out by hand compile, for the types of all three vendors', async () => {
  const folder = await writeAgents('types');
  for (const name of ['@types', 'zod'])
    await symlink(resolve('node_modules', name), join(folder, 'node_modules', name));
  const said = "{ role: 'user', content: [{ type: 'text', text: 'hi' }] }";
  const literal = `import type Anthropic from '@anthropic-ai/sdk';
    import type { ModelMessage } from 'ai';
    import type OpenAI from 'openai';
    import { aiSdk, chatCompletions, messagesApi, openContext } from 'tandem-context';
    const model = { id: 'local', window: 32_000, maxOutput: 2_000 };
    const messages = await openContext({ model, shape: messagesApi([]) });
    const chat = await openContext({ model, shape: chatCompletions([]) });
    const ai = await openContext({ model, shape: aiSdk({}) });
    messages.push(${said}); chat.push(${said}); ai.push(${said});
    export const own = (one: Anthropic.MessageParam, two: OpenAI.ChatCompletionMessageParam, three: ModelMessage) => {
      messages.push(one); chat.push(two); ai.push(three);
    };
    messages.takeBack();
    // @ts-expect-error
    chat.push({ role: 'nobody', content: [{ type: 'text', text: 'hi' }] });`;
  await writeFile(join(folder, 'literal.ts'), literal);
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
  ];
  const tsc = run(resolve('node_modules/.bin/tsc'), [...options, 'literal.ts'], { cwd: folder });
  expect(await tsc.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: '' });
});

test('an older Node is told what it lacks in a sentence', async () => {
  const older = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";
  const started = run(process.execPath, ['--import', older, '--eval', "import('tandem-context')"], { cwd: place });
  const { stderr } = await started.then(
    () => ({ stderr: '' }),
    (error: { stderr: string }) => error,
  );
  expect(stderr).toContain('This package needs Node 22.18 or newer, and this is 20.20.2.');
  expect(stderr).not.toContain('context.js');
});
