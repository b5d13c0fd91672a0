/** An agent looks at an image file: the model is sent the image, the transcript keeps a pointer, and `recall` shows it again (S3.10). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAnthropicModel } from '../../src/adapters/anthropic/anthropic-model.ts';
import { createFileTools } from '../../src/adapters/file-tools/file-tools.ts';
import { openFileTranscripts } from '../../src/adapters/files/file-transcripts.ts';
import { createRequestFitter } from '../../src/agent/compaction/request-fitter.ts';
import { withImages } from '../../src/agent/images.ts';
import { runTurn } from '../../src/agent/loop.ts';
import { createAgentConversation } from '../../src/agent/agent-conversation.ts';
import { controlToolHost } from '../../src/agent/tools/control-tool.ts';
import { createRecallTool } from '../../src/agent/tools/recall.ts';
import type { Model, ModelRequest } from '../../src/ports/model.ts';
import { countImages } from '../../src/transcript/bytes.ts';
import { withSimulator } from '../adapters/simulated/wire.ts';
import { smallCore } from '../support/policies.ts';
import { facts } from '../support/responses.ts';
import { scratch } from '../support/scratch.ts';
import { paddedPng } from '../support/images.ts';

const PNG = paddedPng(3000);
const live = new AbortController().signal;

test('read, sent, kept as a pointer, recalled', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'out'));
  await writeFile(join(dir, 'out/shot.png'), PNG);
  const transcripts = openFileTranscripts(dir);
  const session = createAgentConversation({
    ...{ entries: [], step: 's', images: transcripts.images },
    onAppend: (entry) => transcripts.publish('looker', [entry]),
  });
  const sent: ModelRequest[] = [];
  const { policy, prompts, fields } = smallCore('two-agent');
  const definition = {
    ...{ version: 1 as const, name: 'looker', model: 'claude-opus-5-5', max_tokens: 4000, max_steps: 9, reminders: 0 },
    ...{ tools: ['read', 'recall'], context: { policy: 'two-agent', trigger: { tokens: 20_000 }, keep_steps: 3 } },
  };
  const call = (tool: string, input: Record<string, unknown>) => ({ think: `now ${tool}`, calls: [{ tool, input }] });
  const turn = {
    ...{ name: 'only', marker: 'Look at it' },
    steps: [call('read', { file_path: 'out/shot.png' }), call('recall', { id: 'e3' }), { say: 'Seen twice.' }],
  };
  const script = { version: 1 as const, who: 'looker', match: { system_includes: 'looker' }, turns: [turn] };
  const said = await withSimulator({ scripts: [script] }, async ({ url }) => {
    const retry = { tries: 1, minDelayMs: 1, maxDelayMs: 1 };
    const real = createAnthropicModel({ baseUrl: url, apiKey: 'any', timeoutMs: 20_000, retry });
    const heard: Model = {
      call: async (request, signal) => {
        sent.push(structuredClone(request));
        return real.call(request, signal);
      },
    };
    const model = withImages(heard, transcripts.images);
    const hosts = [
      createFileTools({
        mounts: [{ logical: 'out', physical: join(dir, 'out'), writable: false }],
        maxResultChars: 9000,
      }),
      controlToolHost([createRecallTool('Gives back.', () => session.entries)]),
    ];
    const tools = hosts.flatMap((host) => host.definitions);
    const agent = { definition, systemPrompt: 'You are the looker.', policy, prompts, fields };
    const progress = () => undefined;
    const fitter = createRequestFitter({
      ...{ agent, tools, model, progress },
      facts: facts({ id: 'claude-opus-5-5', window: 60_000, maxOutput: 4000 }),
    });
    const reminders = { cut: 'cut', empty: 'empty', thinking: 't', limit: '{{left}} of {{most}}' };
    const deps = { agent: 'looker', ...{ model, hosts, fitter, reminders, progress }, maxSteps: 9 };
    return runTurn(session, { origin: 'harness', text: 'Look at it.' }, { ...deps, signal: live });
  });
  expect(said).toBe('Seen twice.');
  const data = PNG.toString('base64');
  expect(sent.map(({ messages }) => JSON.stringify(messages).split(data).length - 1)).toEqual([0, 1, 1]);
  const read = await transcripts.read('looker');
  expect(read.map((entry) => (entry.type === 'message' ? countImages(entry.message) : 0))).toEqual([
    0, 0, 1, 0, 1, 0, 0,
  ]);
  expect(JSON.stringify(read)).not.toContain(data);
});
