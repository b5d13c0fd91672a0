/** Plugins behind the ports keep the contracts of the ports, whatever their code does. */
import { expect, test } from 'vitest';
import { pluginSubject } from '../../../src/adapters/plugins/plugin-subject.ts';
import { openPluginTools } from '../../../src/adapters/plugins/plugin-tools.ts';
import type { PluginAnswer, PluginTool } from '../../../src/ports/plugins/plugins.ts';
import { subjectContract } from '../../contracts/subject.contract.ts';

const { signal } = new AbortController();
const fault = (error: unknown): Error => new Error(`plugins/x.mjs:1: ${String(error)}`);
const never = () => new Promise<never>(() => undefined);

subjectContract('a subject of a plugin', (start, answers) => {
  const left = [...answers];
  const open = () => ({
    answer: (): PluginAnswer | Promise<PluginAnswer> => {
      const text = left.shift();
      if (text === undefined) return never();
      return text.startsWith('{') ? (JSON.parse(text) as PluginAnswer) : (text as PluginAnswer);
    },
  });
  return pluginSubject({ open, options: {}, fault }).open(start);
});

test('a subject that throws, when it is opened or later, leaves its trial unscored and is named', async () => {
  const input = { type: 'user' as const, text: 'Hello' };
  const start = { prompt: '', tools: [] };
  const whenOpened = pluginSubject({ open: () => Promise.reject(new Error('no')), options: {}, fault });
  const later = pluginSubject({
    open: () => ({
      answer: () => {
        throw new Error('no');
      },
      close: () => Promise.reject(new Error('no end either')),
    }),
    options: {},
    fault,
  });
  for (const subject of [whenOpened, later]) {
    const talk = await subject.open(start);
    expect(await talk.next(input, 1000, signal)).toMatchObject({
      end: { stop: 'infrastructure', detail: 'plugins/x.mjs:1: Error: no' },
    });
    await talk.close();
  }
});

const tools = (run: PluginTool['run'], seconds = 60) =>
  openPluginTools([
    { name: 'mine', tool: { description: 'd', input_schema: { type: 'object' }, run, seconds }, fault },
  ]);

test.each<[string, PluginTool['run'], { content: string; is_error: boolean }]>([
  ['text', () => 'found', { content: 'found', is_error: false }],
  ['JSON', async () => ({ n: 1 }), { content: '{"n":1}', is_error: false }],
  ['nothing', () => undefined, { content: '', is_error: false }],
  ['ANSI', () => '\u001b[2Jx', { content: '␛[2Jx', is_error: false }],
  ['a fault', () => Promise.reject(new Error('no')), { content: 'plugins/x.mjs:1: Error: no', is_error: true }],
])('a tool that answers with %s', async (_what, run, answer) => {
  expect(await tools(run).host.call('plugin__mine', {}, signal)).toEqual(answer);
});

test('a tool that never answers is a failed call; one that floods is cut; its input is its own', async () => {
  expect(await tools(never, 0.01).host.call('plugin__mine', {}, signal)).toMatchObject({
    content: expect.stringContaining('did not answer within 0.01 s'),
    is_error: true,
  });
  const flood = await tools(() => 'x'.repeat(10_000_000)).host.call('plugin__mine', {}, signal);
  expect(flood.content.length).toBeLessThan(60_100);
  const input = { word: 'x' };
  await tools((given) => Reflect.deleteProperty(given, 'word')).host.call('plugin__mine', input, signal);
  expect(input).toEqual({ word: 'x' });
});

test('an abort rejects with its reason and nothing else', async () => {
  const stop = new AbortController();
  const waiting = tools(never).host.call('plugin__mine', {}, stop.signal);
  const reason = new Error('enough');
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
