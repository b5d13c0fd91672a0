import { describe, expect, test } from 'vitest';
import { openSandbox } from '../../../src/adapters/sandbox/open-sandbox.ts';
import { verifyComponents } from '../../../src/evaluation/proof/verify-components.ts';
import { Verification } from '../../../src/scenario/result.ts';
import type { Design } from '../../../src/scenario/design.ts';
import type { Sandbox } from '../../../src/ports/sandbox.ts';
import { lampsDesign, lampsFolder, lockedLamp, trustedSandbox, turnOn } from '../lamps.ts';

type Change = {
  files?: Record<string, unknown>;
  edits?: Record<string, (text: string) => string>;
  design?: Design;
  samplesWanted?: number;
  sandbox?: Sandbox;
  signal?: AbortSignal;
};

async function verify(change: Change = {}): Promise<Verification> {
  return verifyComponents({
    dir: await lampsFolder(change.files, change.edits),
    design: change.design ?? lampsDesign(),
    samplesWanted: change.samplesWanted ?? 2,
    sandbox: change.sandbox ?? trustedSandbox(),
    signal: change.signal ?? new AbortController().signal,
  });
}

const linesOf = ({ problems }: Verification): string[] =>
  problems.map(({ layer, code, component, sample }) => [layer, code, component, sample ?? ''].join(' ').trim());

const replacing = (from: string | RegExp, to: string) => (text: string) => {
  const changed = text.replace(from, to);
  expect(changed, `"${from}" is not in the file`).not.toBe(text);
  return changed;
};
const withSample = (id: string, sample: object) => ({ files: { [`samples/${id}.json`]: sample } });
const turnOnWith = (more: object): Change => withSample('turn-on', { ...turnOn, ...more });

describe('components that prove themselves', () => {
  test('pass in the real sandbox, each sample with all four proofs and every rule covered', async () => {
    const verification = await verify({ sandbox: await openSandbox() });
    expect(verification.problems).toEqual([]);
    expect(verification).toEqual({
      ok: true,
      problems: [],
      proofs: [
        { sample: 'locked-lamp', gold: true, nothing: true, wrong: true, mutants: true },
        { sample: 'turn-on', gold: true, nothing: true, wrong: true, mutants: true },
      ],
      coverage: {
        R1: { samples: ['turn-on'], checkers: ['as-asked'] },
        R2: { samples: ['locked-lamp'], checkers: ['locked-untouched'] },
      },
    });
    expect(Verification.safeParse(verification).success).toBe(true);
  });

  test('prove a sample whose end is free by its checkers: gold passes, nothing and the wrong path fail', async () => {
    const free = { expect: { ...turnOn.expect, end_state: 'any' } };
    const verification = await verify(turnOnWith(free));
    expect(verification.problems).toEqual([]);
    expect(verification.proofs[1]).toEqual({
      sample: 'turn-on',
      gold: true,
      nothing: true,
      wrong: true,
      mutants: true,
    });
    // Its checker looks at what was said and done, and not at the end.
    const blind = `
export const checker = { id: 'as-asked', description: 'R1', rules: ['R1'] };
export function check({ trace }) {
  const pass = trace.calls.some(({ tool, input }) => tool === 'switch_lamp' && input.on);
  return { pass, reason: pass ? 'called' : 'never called', evidence: [] };
}`;
    const files = { 'checkers/as-asked.mjs': blind, 'samples/turn-on.json': { ...turnOn, ...free } };
    const { ok, problems } = await verify({ files });
    expect(ok).toBe(false);
    expect(problems).toMatchObject([
      { code: 'mutant-passes', sample: 'turn-on', message: expect.stringContaining('no checker looks at the end') },
    ]);
  });

  test('fifteen samples are verified well under three seconds in the real sandbox', async () => {
    const many = Array.from({ length: 15 }, (_, index) => [`samples/s${index}.json`, { ...turnOn, id: `s${index}` }]);
    const sandbox = await openSandbox();
    const startedAt = performance.now();
    const verification = await verify({ files: Object.fromEntries(many), sandbox });
    expect(verification.ok).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });

  test('an abort rejects with its reason', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    await expect(verify({ signal: controller.signal })).rejects.toThrow('enough');
  });
});

describe('the structure', () => {
  test.each<[string, Change, string]>([
    [
      'a rule that no sample covers',
      { design: lampsDesign({ rules: ['R1', 'R2', 'R3'] }) },
      '4 rule-without-sample R3',
    ],
    [
      'a rule that no checker judges',
      { design: lampsDesign({ rules: ['R1', 'R2', 'R3'] }) },
      '3 rule-without-checker R3',
    ],
    [
      'a sample that covers no rule of the design',
      turnOnWith({ covers: ['R1', 'R9'] }),
      '4 sample-rule-unknown turn-on turn-on',
    ],
    [
      'a checker of a rule that is not there',
      { edits: { 'checkers/as-asked.mjs': replacing("['R1']", "['R1', 'R9']") } },
      '3 checker-rule-unknown as-asked',
    ],
    ['a checker that no sample lists', turnOnWith({ checkers: ['locked-untouched'] }), '3 checker-unused as-asked'],
    [
      'a checker that is not there',
      turnOnWith({ checkers: ['as-asked', 'none'] }),
      '4 sample-checker-unknown turn-on turn-on',
    ],
    ['a category that is not there', turnOnWith({ category: 'none' }), '4 sample-category-unknown turn-on turn-on'],
    ['a category with too few samples', turnOnWith({ category: 'none' }), '4 too-few-samples lamps'],
    ['too few samples in all', { samplesWanted: 3 }, '4 too-few-samples samples'],
    ['a tool that is missing', { files: { 'tools/read_lamp.mjs': undefined } }, '2 tool-missing read_lamp'],
    [
      'a tool that the format does not name',
      {
        files: {
          'tools/paint.mjs':
            'export const tool = { name: "paint", description: "x", input_schema: { type: "object" }, examples: [{ input: {}, world: {} }] }; export const run = () => ({});',
        },
      },
      '2 tool-unknown paint',
    ],
    [
      'a gold call of a tool that is not there',
      turnOnWith({ gold: [{ tool: 'paint', args: {} }] }),
      '4 sample-tool-unknown turn-on turn-on',
    ],
    [
      'a tool schema that cannot be honoured',
      { edits: { 'tools/read_lamp.mjs': replacing("required: ['id']", "oneOf: [], required: ['id']") } },
      '2 tool-schema-unsupported read_lamp',
    ],
    [
      'a world schema that cannot be honoured',
      { design: lampsDesign({ format: { world: { type: 'object', nullable: true } } }) },
      '1 format-unsupported format_spec.yaml',
    ],
    [
      'a start world that does not fit',
      turnOnWith({ start: { world: { lamps: { hall: { on: 'no' } } } } }),
      '4 world-invalid turn-on turn-on',
    ],
    [
      'an expected patch that does not apply',
      turnOnWith({ expect: { end_state: { patch: [{ op: 'remove', path: '/none' }] } } }),
      '4 expectation-invalid turn-on turn-on',
    ],
  ])('%s is a problem', async (_title, change, line) => {
    const verification = await verify(change);
    expect(linesOf(verification)).toContain(line);
    expect(verification.ok).toBe(false);
  });

  test('a tool that cannot be loaded is told once, not again for every sample that calls it', async () => {
    const verification = await verify({ files: { 'tools/read_lamp.mjs': 'export {' } });
    expect(linesOf(verification)).toEqual(['2 schema read_lamp']);
    expect(verification.proofs.map(({ gold }) => gold)).toEqual([false, false]);
  });
});

describe('tools', () => {
  const edit = (from: string | RegExp, to: string, tool = 'switch_lamp'): Change => ({
    edits: { [`tools/${tool}.mjs`]: replacing(from, to) },
  });

  test.each<[string, Change, string]>([
    [
      'an example that its own schema refuses',
      edit("{ id: 'hall', on: true }", "{ id: 'hall' }"),
      '2 tool-example-invalid switch_lamp',
    ],
    [
      'an example on a world that is not there',
      edit("world: 'house'", "world: 'palace'"),
      '2 tool-example-invalid switch_lamp',
    ],
    [
      'a tool that throws on a valid input',
      edit('lamp.on = on;', 'throw new Error("stuck");'),
      '2 tool-failed switch_lamp',
    ],
    ['a tool that answers nothing', edit('return { ok: true };', ''), '2 tool-failed switch_lamp'],
    [
      'a tool that leaves a world which does not fit',
      edit('lamp.on = on;', 'lamp.on = "yes";'),
      '2 tool-failed switch_lamp',
    ],
    [
      'a tool that answers by chance',
      edit('{ ok: true }', '{ ok: true, at: Math.random() }'),
      '2 tool-nondeterministic switch_lamp',
    ],
    [
      'a tool that remembers its calls',
      edit(
        'lamp.on = on;',
        'lamp.on = on; globalThis.lampCalls = (globalThis.lampCalls ?? 0) + 1; lamp.locked = globalThis.lampCalls % 2 === 0;',
      ),
      '2 tool-nondeterministic switch_lamp',
    ],
    [
      'a reading tool that writes',
      edit('return world', 'world.lamps[id].on = true; return world', 'read_lamp'),
      '2 tool-changes-world read_lamp',
    ],
  ])('%s is a problem of layer 2', async (_title, change, line) => {
    expect(linesOf(await verify(change))).toContain(line);
  });

  test('a tool that silently loses its change is suspected, and the sample that shows it is not blamed', async () => {
    const verification = await verify(edit('lamp.on = on;', ''));
    expect(linesOf(verification)).toEqual(['2 tool-suspect switch_lamp']);
    expect(verification.problems[0]?.message).toContain('changes nothing on any example or gold path');
    expect(verification.problems[0]?.message).toContain('turn-on');
  });

  test('a tool that throws only on the gold path is blamed there, with the step', async () => {
    const { problems } = await verify(
      edit(
        'lamp.on = on;',
        "if (id === 'hall' && world.lamps.hall.on === false && on) throw new Error('stuck'); lamp.on = on;",
      ),
    );
    expect(problems).toContainEqual(
      expect.objectContaining({ layer: 2, code: 'tool-failed', component: 'switch_lamp', sample: 'turn-on' }),
    );
    const told = problems.find(({ sample }) => sample === 'turn-on')?.message;
    expect(told).toContain('gold step 2: switch_lamp {"id":"hall","on":true}');
    expect(told).toContain('stuck');
  });
});

describe('samples', () => {
  test.each<[string, Change, string]>([
    [
      'a gold input that the tool refuses',
      turnOnWith({ gold: [{ tool: 'switch_lamp', args: { id: 'hall', on: 'yes' } }] }),
      '4 gold-invalid turn-on turn-on',
    ],
    [
      'a gold path that ends elsewhere',
      turnOnWith({ gold: [{ tool: 'switch_lamp', args: { id: 'cellar', on: false } }] }),
      '4 gold-fails turn-on turn-on',
    ],
    [
      'gold words that are not those which must be said',
      turnOnWith({ gold_says: 'Done.' }),
      '4 gold-fails turn-on turn-on',
    ],
    [
      'a sample that doing nothing passes',
      withSample('locked-lamp', { ...lockedLamp, expect: { end_state: 'unchanged' } }),
      '4 null-passes locked-lamp locked-lamp',
    ],
    ['a wrong path that passes', turnOnWith({ wrong: turnOn.gold }), '4 wrong-passes turn-on turn-on'],
  ])('%s is a problem of layer 4', async (_title, change, line) => {
    const verification = await verify(change);
    expect(linesOf(verification)).toContain(line);
    expect(verification.proofs.every((proof) => Object.values(proof).every((value) => value !== false))).toBe(false);
  });

  test('what a gold path lacks is said as a difference of states', async () => {
    const { problems } = await verify(turnOnWith({ gold: [] }));
    expect(problems[0]?.message).toContain('/lamps/hall/on: expected true, got false');
  });

  test('another end that is accepted is no mutant', async () => {
    const other = {
      patch: [...turnOn.expect.end_state.patch, { op: 'replace', path: '/lamps/cellar/on', value: false }],
    };
    const expect_ = { ...turnOn.expect, end_state: { any_of: [turnOn.expect.end_state, other, 'unchanged'] } };
    const verification = await verify(turnOnWith({ expect: expect_ }));
    expect(linesOf(verification)).toEqual([]);
  });
});

describe('checkers', () => {
  const edit = (from: string | RegExp, to: string): Change => ({
    edits: { 'checkers/as-asked.mjs': replacing(from, to) },
  });

  test.each<[string, Change, string[]]>([
    [
      'that accepts everything cannot fail',
      edit(/const pass = .*/, 'const pass = true;'),
      ['3 checker-cannot-fail as-asked'],
    ],
    [
      'that refuses the gold path',
      edit(/const pass = .*/, 'const pass = !after.lamps.hall.on;'),
      ['3 checker-rejects-gold as-asked turn-on'],
    ],
    ['that throws', edit(/const pass = .*/, 'throw new Error("no idea");'), ['3 checker-broken as-asked turn-on']],
    [
      'that throws when nothing was done',
      edit('check({ sample, after }) {', 'check({ sample, after, trace }) { trace.calls[0].step;'),
      ['3 checker-broken as-asked turn-on'],
    ],
    ['that answers nonsense', edit('return { pass,', 'return { passed: pass,'), ['3 checker-broken as-asked turn-on']],
    ['that answers by chance', edit("'it is on'", '`on ${Math.random()}`'), ['3 checker-broken as-asked turn-on']],
  ])('one %s', async (_title, change, lines) => {
    expect(linesOf(await verify(change))).toEqual(lines);
  });

  test.each<[string, string, string]>([
    ['rejects', "if (trace.calls.length > 2) return { pass: false, reason: 'too long' };", '3 checker-judges-path'],
    ['breaks on', 'if (trace.calls.length > 2) null.x;', '3 checker-broken'],
  ])(
    'one that %s a gold path in which something is looked up once more is remarked on, and stops nothing',
    async (_verb, line, told) => {
      const edits = {
        'checkers/as-asked.mjs': replacing('check({ sample, after }) {', `check({ sample, after, trace }) { ${line}`),
      };
      const { ok, remarks = [] } = await verify({ edits });
      expect(ok).toBe(true);
      expect(remarks.map(({ layer, code, component }) => `${layer} ${code} ${component}`)).toEqual([
        `${told} as-asked`,
      ]);
      expect(remarks[0]?.message).toContain('when read_lamp is called once more after step 1, which changes nothing');
    },
  );

  test('one that only a mutant can make fail is accepted', async () => {
    const picky = edit(
      /const pass = .*/,
      'const pass = after.lamps.hall.on || JSON.stringify(after).includes("changed") === false && after.lamps.cellar.on;',
    );
    const gold = [...turnOn.gold, { tool: 'switch_lamp', args: { id: 'cellar', on: false } }];
    const end = [...turnOn.expect.end_state.patch, { op: 'replace', path: '/lamps/cellar/on', value: false }];
    const sample = { ...turnOn, gold, expect: { ...turnOn.expect, end_state: { patch: end } } };
    expect(linesOf(await verify({ ...picky, ...withSample('turn-on', sample) }))).toEqual([]);
  });
});

describe('rules that contradict each other', () => {
  // R1 wants every asked lamp on, R2 wants locked ones untouched; here the asked lamp is a locked one that is off.
  const torn = (more: object = {}) => ({
    ...turnOn,
    id: 'torn',
    covers: ['R1', 'R2'],
    start: { base: 'house', patch: [{ op: 'replace', path: '/lamps/hall/locked', value: true }] },
    checkers: ['as-asked', 'locked-untouched'],
    ...more,
  });
  const start = { base: 'house', patch: [{ op: 'add', path: '/lamps/hall', value: { on: false, locked: true } }] };

  test('are a problem of layer 1 that cites both and the sample: gold keeps one, the wrong path the other', async () => {
    const sample = torn({ start, wrong: [{ tool: 'read_lamp', args: { id: 'hall' } }], wrong_says: 'It is on.' });
    const { problems } = await verify(withSample('torn', sample));
    expect(problems).toEqual([
      {
        layer: 1,
        code: 'rules-contradict',
        component: 'R1, R2',
        sample: 'torn',
        message: expect.stringContaining('satisfies both R1 (checker as-asked) and R2 (checker locked-untouched)'),
      },
    ]);
  });

  test('are not claimed of a sample that is about one of the rules only: there the checker is to blame', async () => {
    const sample = torn({ start, covers: ['R1'], wrong: [{ tool: 'read_lamp', args: { id: 'hall' } }] });
    expect(linesOf(await verify(withSample('torn', sample)))).toEqual(['3 checker-rejects-gold locked-untouched torn']);
  });

  test('are not claimed when one known end keeps both', async () => {
    const sample = torn({
      start: { base: 'house', patch: [{ op: 'add', path: '/lamps/hall', value: { on: true, locked: true } }] },
      expect: { end_state: 'unchanged', must_say: [{ any: ['is on'] }] },
      gold: [{ tool: 'switch_lamp', args: { id: 'hall', on: true } }],
      wrong: [{ tool: 'read_lamp', args: { id: 'hall' } }],
      wrong_says: 'It is off.',
    });
    expect(linesOf(await verify(withSample('torn', sample)))).toEqual(['3 checker-rejects-gold locked-untouched torn']);
  });
});

describe('a tool that breaks on what its schema allows and no gold path sends', () => {
  const fragile = replacing(
    'const lamp = world.lamps[id];',
    "if (id !== id.toLowerCase()) throw new Error('no capitals, please');\n  const lamp = world.lamps[id];",
  );

  test('is told before anything is paid, as a doubt that stops nothing', async () => {
    const { ok, problems, remarks } = await verify({ edits: { 'tools/switch_lamp.mjs': fragile } });
    expect({ ok, problems }).toEqual({ ok: true, problems: [] });
    expect(remarks).toMatchObject([{ layer: 2, code: 'tool-fragile', component: 'switch_lamp' }]);
    expect(remarks?.[0]?.message).toContain('tools/switch_lamp.mjs: it breaks on {"id":"HALL","on":true}');
  });

  test('is not doubted when its schema forbids such an input', async () => {
    const strict = replacing("id: { type: 'string' }", "id: { type: 'string', enum: ['hall', 'cellar'] }");
    const edit = (text: string): string => strict(fragile(text));
    expect((await verify({ edits: { 'tools/switch_lamp.mjs': edit } })).remarks).toBeUndefined();
  });
});
