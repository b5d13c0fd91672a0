import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openConfined } from '../../src/app/open-sandbox.ts';
import { evaluate } from '../../src/evaluation/evaluate.ts';
import { loadComponents } from '../../src/evaluation/components/load-components.ts';
import { verifyComponents } from '../../src/evaluation/proof/verify-components.ts';
import type { Results } from '../../src/scenario/result.ts';
import { TraceLine } from '../../src/scenario/trace.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import { call, facts, say } from '../support/responses.ts';
import { scriptedModel, type ScriptedAnswer } from '../support/scripted-model.ts';
import { lampsBrief, lampsDesign, lampsFolder, turnOn } from '../evaluation/lamps.ts';

const { signal } = new AbortController();

const FUSE = `
tool = {
    'name': 'turn_fuse', 'description': 'Turns the fuse of the house: in the hands of the user.',
    'input_schema': {'type': 'object', 'required': ['on'], 'properties': {'on': {'type': 'boolean'}}},
    'examples': [{'input': {'on': True}, 'world': {'lamps': {}}}],
}

def run(input, world):
    world['fuse'] = input['on']
    return {'ok': True}
`;
const FUSE_FIRST = `
checker = {'id': 'fuse-first', 'description': 'R2: the fuse is out before a lamp is switched.', 'rules': ['R2']}

def check(ctx):
    calls = ctx['trace']['calls']
    fuse = [i for i, call in enumerate(calls) if call['tool'] == 'turn_fuse' and call.get('by') == 'user']
    lamp = [i for i, call in enumerate(calls) if call['tool'] == 'switch_lamp' and 'by' not in call]
    ok = bool(fuse) and bool(lamp) and fuse[0] < lamp[0]
    return {'pass': ok, 'reason': 'in order' if ok else 'not in order', 'evidence': ['says: %d' % len(ctx['trace']['says'])]}
`;
const askUser = {
  ...turnOn,
  id: 'ask-user',
  covers: ['R1', 'R2'],
  user: {
    says_first: 'My hall lamp.',
    knows: { fuse: 'it is in the cellar' },
    acts: [
      { when: 'FUSE out', calls: [{ tool: 'turn_fuse', args: { on: false } }], says: 'It is out.' },
      { when: 'fuse', calls: [], says: 'Which one?' },
    ],
  },
  expect: {
    end_state: {
      patch: [
        { op: 'add', path: '/fuse', value: false },
        { op: 'replace', path: '/lamps/hall/on', value: true },
      ],
    },
  },
  gold: [
    { tool: 'turn_fuse', args: { on: false } },
    { tool: 'switch_lamp', args: { id: 'hall', on: true } },
  ],
  wrong: [{ tool: 'switch_lamp', args: { id: 'hall', on: true } }],
  checkers: ['as-asked', 'fuse-first'],
};
const base = lampsDesign();
const lamps = base.format.world['properties'] as object;
const design = lampsDesign({
  format: {
    world: { ...base.format.world, properties: { ...lamps, fuse: { type: 'boolean' } } },
    tools: [...base.format.tools, { name: 'turn_fuse', purpose: 'fuse', changes_world: true, by: 'user' }],
    categories: [{ id: 'lamps', title: 'Lamps', samples: 1 }],
  },
});
const files = (sample: object = askUser) => ({
  'tools/turn_fuse.py': FUSE,
  'checkers/fuse-first.py': FUSE_FIRST,
  'checkers/locked-untouched.mjs': undefined,
  'samples/turn-on.json': undefined,
  'samples/locked-lamp.json': undefined,
  'samples/ask-user.json': sample,
});

async function play(
  answers: ScriptedAnswer[],
): Promise<{ results: Results; requests: ModelRequest[]; lines: TraceLine[] }> {
  const dir = await lampsFolder(files());
  const sandbox = await openConfined({});
  const { components } = await loadComponents(dir, sandbox, signal);
  const model = scriptedModel(answers);
  const results = await evaluate({
    dir,
    design,
    brief: lampsBrief(),
    components,
    verification: { ok: true, problems: [], proofs: [], coverage: {} },
    iteration: 1,
    round: 1,
    modelFor: () => model,
    maxTokens: 500,
    price: facts().price,
    sandbox,
    concurrency: 1,
    simulated: true,
    componentsDigest: 'c',
    onSample: () => undefined,
    now: () => 0,
    signal,
  });
  const text = await readFile(join(dir, 'traces/ask-user.1.jsonl'), 'utf8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => TraceLine.parse(JSON.parse(line)));
  return { results, requests: model.requests, lines };
}

describe('a user with tools of their own', () => {
  test('acts when asked to, before it tells what it knows; each act once, the first that fits', async () => {
    const answers = [
      say('Please turn the Fuse Out.'),
      call('switch_lamp', { id: 'hall', on: true }),
      say('And the fuse?'),
      say('That fuse out, I mean. Where is the fuse?'),
      say('Thank you.'),
    ];
    const { results, lines } = await play(answers);
    expect(lines.filter(({ type }) => type === 'user')).toMatchObject([
      { step: 0, text: 'My hall lamp.' },
      { step: 1, text: 'It is out.' },
      { step: 3, text: 'Which one?' },
      { step: 4, text: 'It is in the cellar.' },
    ]);
    expect(lines.filter(({ type }) => type === 'call')).toMatchObject([
      { step: 1, tool: 'turn_fuse', by: 'user', change: [{ op: 'add', path: '/fuse', value: false }] },
      { step: 2, tool: 'switch_lamp' },
    ]);
    expect(results.samples[0]).toMatchObject({ outcome: 'pass' });
    expect(lines.find((line) => line.type === 'call' && line.tool === 'switch_lamp')).not.toHaveProperty('by');
  });

  test('a tool of the user is not offered to the subject, and is unknown to one that calls it', async () => {
    const { requests, results, lines } = await play([
      call('turn_fuse', { on: false }),
      say('Your lamp is on now, as you asked.'),
      // Nothing was changed, so its user asks back once.
      say('It is on.'),
    ]);
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['switch_lamp', 'read_lamp']);
    expect(lines.find(({ type }) => type === 'call')).toMatchObject({
      error: 'unknown_tool',
      is_error: true,
      change: [],
    });
    // The call is the subject's own mistake: on replay it is refused again, and no tool is blamed for it.
    expect(results.samples[0]).toMatchObject({ outcome: 'fail', layer: 4 });
    expect(results.samples[0]?.trials[0]).not.toHaveProperty('toolFault');
  });
});

describe('verification of acts', () => {
  const verify = async (sample: object) => {
    const dir = await lampsFolder(files(sample));
    const found = await verifyComponents({ dir, design, samplesWanted: 1, sandbox: await openConfined({}), signal });
    return found.problems.map(({ code, message }) => `${code} ${message}`);
  };
  const withActs = (...acts: object[]) => ({ ...askUser, user: { ...askUser.user, acts } });

  test('a gold path with calls of the user proves itself, in Python and JavaScript together', async () => {
    expect(await verify(askUser)).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      'a tool of the subject',
      withActs(...askUser.user.acts, { when: 'x', calls: [{ tool: 'read_lamp', args: { id: 'hall' } }], says: 'y' }),
      'act-invalid samples/ask-user.json: user.acts/2: read_lamp is no tool of the user',
    ],
    [
      'an input that the tool refuses',
      withActs(...askUser.user.acts, { when: 'x', calls: [{ tool: 'turn_fuse', args: {} }], says: 'y' }),
      'act-invalid samples/ask-user.json: user.acts/2: turn_fuse: /on: it is missing',
    ],
    [
      'a gold path that no act leads along',
      withActs({ when: 'x', calls: [{ tool: 'turn_fuse', args: { on: true } }], says: 'y' }),
      'gold-invalid samples/ask-user.json: the gold path needs the user to call turn_fuse {"on":false}, and no act does so',
    ],
  ])('%s is a problem', async (_title, sample, line) => {
    expect(await verify(sample)).toContainEqual(expect.stringContaining(line));
  });
});
