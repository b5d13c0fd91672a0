/** The strength of a proof, measured on the lamps: what is caught, what survives, and what a person should look at. */
import { describe, expect, test } from 'vitest';
import { findRegressions } from '../../../../src/evaluation/proof/strength/find-regressions.ts';
import { USUAL_BUDGET } from '../../../../src/evaluation/proof/strength/measure-strength.ts';
import { verifyComponents } from '../../../../src/evaluation/proof/verify-components.ts';
import type { Sandbox } from '../../../../src/ports/sandbox.ts';
import type { ProofStrength } from '../../../../src/scenario/proof-strength.ts';
import { lampsDesign, lampsFolder, lockedLamp, trustedSandbox, turnOn } from '../../lamps.ts';

type Files = Record<string, unknown>;
type Edits = Record<string, (text: string) => string>;

async function measured(
  files: Files = {},
  edits: Edits = {},
  sandbox = trustedSandbox(),
  budget = USUAL_BUDGET,
  design = lampsDesign(),
): Promise<ProofStrength> {
  const { strength, problems } = await verifyComponents({
    dir: await lampsFolder(files, edits),
    design,
    samplesWanted: 2,
    sandbox,
    strength: budget,
    signal: new AbortController().signal,
  });
  expect(problems).toEqual([]);
  if (strength === undefined) throw new Error('it was not measured');
  return strength;
}

/** Counts calls of the modules that the measurement writes. */
function counted(): { sandbox: Sandbox; mutantCalls: () => number } {
  const trusted = trustedSandbox();
  let calls = 0;
  const open: Sandbox['open'] = async (dir) => {
    const session = await trusted.open(dir);
    return {
      ...session,
      askAll(inquiry, signal) {
        if (inquiry.modules.some((module) => /\.(mutants|original)\.mjs$/.test(module))) calls += 1;
        return session.askAll(inquiry, signal);
      },
    };
  };
  return { sandbox: { ...trusted, open }, mutantCalls: () => calls };
}

const found = ({ findings }: ProofStrength): string[] => findings.map(({ code, component }) => `${code} ${component}`);

describe('the strength of a proof', () => {
  test('tells of one false sentence once, however many samples show it', async () => {
    const reads = {
      'checkers/as-asked.mjs': (text: string) =>
        text
          .replace('{ sample, after }', '{ sample, after, final }')
          .replace('const pass =', 'const pass = /is on/.test(final) &&'),
    };
    const later = { 'samples/turn-on-later.json': { ...turnOn, id: 'turn-on-later' } };
    const listFalse = ({ survivors }: ProofStrength) => survivors.filter(({ kind }) => kind === 'false-words');
    const [few, many] = [listFalse(await measured({}, reads)), listFalse(await measured(later, reads))];
    expect(few.length).toBeGreaterThan(0);
    expect(many.map(({ rules }) => rules)).toEqual(few.map(({ rules }) => rules));
    expect(many[0]?.message).toMatch(/^samples\/turn-on(?:-later)?\.json and 1 more: no sample covers this/);
  });

  test('lists each line that survives once before any comes twice', async () => {
    const places = (await measured()).survivors.map(({ place }) => place);
    const repeats = places.map((place, index) => places.indexOf(place) < index);
    expect(repeats).toContain(true);
    expect(repeats.slice(repeats.indexOf(true))).not.toContain(false);
  });

  test('is the same where the keys of a world stand in another order: nothing that was caught survives', async () => {
    const reversed = { lamps: { cellar: { locked: true, on: true }, hall: { on: true } } };
    const [before, now] = [await measured(), await measured({ 'samples/worlds/house.json': reversed })];
    expect(findRegressions(now, before)).toEqual([]);
    expect(Object.values(now.verdicts ?? {}).map(({ plays }) => plays)).toEqual(
      Object.values(before.verdicts ?? {}).map(({ plays }) => plays),
    );
  });

  test('is the same every time, and the numbers are those of the list', async () => {
    const one = await measured();
    expect(await measured()).toEqual(one);
    const { all, mutants, sabotage, fair, survived, survivors } = one;
    expect(mutants.total).toBeGreaterThan(10);
    expect(sabotage.total).toBeGreaterThan(5);
    expect(fair).toMatchObject({ caught: fair.total });
    expect(all.total).toBe(mutants.total + sabotage.total + fair.total);
    expect(survivors).toHaveLength(survived);
    expect(survived).toBe(mutants.total - mutants.caught + sabotage.total - sabotage.caught);
  });

  test('one that ran out of time caught nothing that a later one could lose', async () => {
    const cut = await measured({}, {}, trustedSandbox(), { ...USUAL_BUDGET, seconds: 0 });
    expect(cut.untried).toBeGreaterThan(0);
    const whole = await measured();
    expect(whole.survived).toBeGreaterThan(0);
    expect(findRegressions(whole, cut)).toEqual([]);
  });

  test('the same sandbox runs nothing twice for the measurement, and a changed tool is measured anew', async () => {
    const { sandbox, mutantCalls } = counted();
    const first = await measured({}, {}, sandbox);
    const calls = mutantCalls();
    expect(calls).toBeGreaterThan(3);
    expect(await measured({}, {}, sandbox)).toEqual(first);
    expect(mutantCalls()).toBe(calls);
    const edits = {
      'tools/switch_lamp.mjs': (text: string) => text.replace('lamp.on = on', 'if (lamp.on !== on) lamp.on = on'),
    };
    expect(await measured({}, edits, sandbox)).toEqual(await measured({}, edits));
    expect(mutantCalls()).toBeGreaterThan(calls);
  });

  test('a boundary that no sample exercises survives, by rule and line; a sample that exercises it ends that', async () => {
    const old = "after.lamps[sample.user.knows.wanted ?? 'hall'].on";
    const edits = {
      'checkers/as-asked.mjs': (text: string) => text.replace(old, `${old} && after.lamps.hall.on !== null`),
    };
    const { survivors } = await measured({}, edits);
    expect(survivors.find(({ component }) => component === 'as-asked')).toMatchObject({
      place: 'checkers/as-asked.mjs:4',
      rules: ['R1'],
    });
    expect(survivors.map(({ message }) => message).join('\n')).toContain('no sample covers this line');
  });

  test('words that nobody looks at are named first, with what to do', async () => {
    const free = { ...turnOn, expect: { ...turnOn.expect, must_say: [] } };
    const { survivors } = await measured({ 'samples/turn-on.json': free });
    expect(survivors[0]?.message).toBe(
      'samples/turn-on.json: no sample covers this: whatever is said last passes; must_say or a checker can demand more',
    );
  });

  test('an argument that a tool ignores is named', async () => {
    const edits = { 'tools/switch_lamp.mjs': (text: string) => text.replace('lamp.on = on', 'lamp.on = true') };
    const wrong = { ...turnOn, wrong: [], wrong_says: 'I did nothing.' };
    const locked = { ...lockedLamp, wrong: [{ tool: 'switch_lamp', args: { id: 'cellar', on: true } }] };
    const strength = await measured({ 'samples/turn-on.json': wrong, 'samples/locked-lamp.json': locked }, edits);
    expect(found(strength)).toContain('argument-ignored switch_lamp');
  });

  test('a sample that is there twice, and words that every answer holds, are named', async () => {
    const again = {
      ...turnOn,
      id: 'turn-on2',
      title: 'Once more',
      expect: { ...turnOn.expect, must_say: [{ any: ['the'] }] },
    };
    expect(found(await measured({ 'samples/turn-on2.json': again }))).toEqual(
      expect.arrayContaining(['duplicate-sample turn-on2', 'empty-words turn-on2']),
    );
  });

  test('a step limit below the gold path, and a rule that no listed checker names, are named', async () => {
    const short = { ...turnOn, limits: { steps: 2 }, covers: ['R1', 'R2'] };
    expect(found(await measured({ 'samples/turn-on.json': short }))).toEqual(
      expect.arrayContaining(['limit-below-gold turn-on', 'cover-unjudged turn-on']),
    );
  });

  test('what gold says on the way is a step of its own', async () => {
    const asking = { ...turnOn, gold: [{ says: 'Shall I?' }, { user: 'Yes.' }, ...turnOn.gold], limits: { steps: 3 } };
    expect(found(await measured({ 'samples/turn-on.json': asking }))).toContain('limit-below-gold turn-on');
  });

  test('a checker that demands one particular path is named', async () => {
    const fussy = (text: string) =>
      text
        .replace('const pass =', "const pass = trace.calls[0]?.tool === 'read_lamp' &&")
        .replace('sample, after', 'sample, after, trace');
    expect(found(await measured({}, { 'checkers/as-asked.mjs': fussy }))).toContain('checker-demands-path as-asked');
  });

  test('a checker whose rule demands that something is looked up first demands no path', async () => {
    const first = (text: string) =>
      text
        .replace('const pass =', "const pass = trace.calls[0]?.tool === 'read_lamp' &&")
        .replace('sample, after', 'sample, after, trace');
    const design = lampsDesign();
    const [rule] = design.rules.rules;
    if (rule === undefined) throw new Error('no rule');
    rule.applies_to = ['read_lamp', 'switch_lamp'];
    const strength = await measured({}, { 'checkers/as-asked.mjs': first }, trustedSandbox(), USUAL_BUDGET, design);
    expect(found(strength)).not.toContain('checker-demands-path as-asked');
    expect(strength.fair.caught).toBe(strength.fair.total);
  });

  test('another spelling that a tool does not know is no path as right as gold', async () => {
    const first = (text: string) =>
      text
        .replace('const pass =', "const pass = trace.calls[0]?.input.id === 'Hall' &&")
        .replace('sample, after', 'sample, after, trace')
        .replace("?? 'hall'", "?? 'Hall'");
    const upper = (text: string) => text.replaceAll('hall', 'Hall');
    const edits = { 'checkers/as-asked.mjs': first, 'samples/worlds/house.json': upper, 'samples/turn-on.json': upper };
    const examples = { 'tools/switch_lamp.mjs': upper, 'tools/read_lamp.mjs': upper };
    const strength = await measured({}, { ...edits, ...examples });
    expect(strength.findings.filter(({ message }) => message.includes('other-spelling'))).toEqual([]);
  });

  test('a rule that a grader of the sample reads has its judge', async () => {
    const read = { ...turnOn, covers: ['R1', 'R2'], graders: ['polite'] };
    const polite = 'id: polite\nquestion: Is it polite?\nrules: [R2]\npass_when: It is.\nfail_when: It is not.\n';
    const strength = await measured({ 'samples/turn-on.json': read, 'graders/polite.yaml': polite });
    expect(found(strength)).not.toContain('cover-unjudged turn-on');
  });

  test('a rule of which the table reads a demand has its judge in each sample of its case', async () => {
    const lamp = { values: ['on', 'off'], from: { at: '/lamps/hall/on' }, as: { on: true, off: false } };
    const cases = { attributes: { wanted: ['on', 'off'] }, outcomes: { lamp } };
    const design = lampsDesign({ format: { cases } });
    const [first, second] = design.rules.rules;
    if (first === undefined || second === undefined) throw new Error('no rules');
    Object.assign(first, { when: { wanted: 'on' }, demands: { lamp: 'on' } });
    Object.assign(second, { when: { wanted: 'off' }, demands: { lamp: 'off' } });
    const both = { ...turnOn, covers: ['R1', 'R2'], case: { wanted: 'on' } };
    const files = {
      'samples/turn-on.json': both,
      'samples/locked-lamp.json': { ...lockedLamp, case: { wanted: 'on' } },
    };
    const strength = await measured(files, {}, trustedSandbox(), USUAL_BUDGET, design);
    expect(found(strength)).not.toContain('cover-unjudged turn-on');
  });

  test('gold that breaks a rule whose checker is not listed is named', async () => {
    const dark = {
      ...turnOn,
      start: {
        ...turnOn.start,
        patch: [...turnOn.start.patch, { op: 'add', path: '/lamps/hall/locked', value: true }],
      },
    };
    expect(found(await measured({ 'samples/turn-on.json': dark }))).toContain('gold-breaks-rule turn-on');
  });

  test('a checker that names a rule and looks at something else is named', async () => {
    const blind = (text: string) => text.replace("rules: ['R1']", "rules: ['R1', 'R2']");
    const both = { ...lockedLamp, checkers: ['locked-untouched', 'as-asked'], start: { base: 'house.json' } };
    const strength = await measured({ 'samples/locked-lamp.json': both }, { 'checkers/as-asked.mjs': blind });
    expect(found(strength)).toContain('rule-unwatched as-asked');
  });
});
