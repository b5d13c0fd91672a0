/** A script's summary fills whatever fields a policy asks for (docs/internals/simulation.md, "The summary"). */
import { expect, test } from 'vitest';
import { inFields, writeSummary } from '../../../../src/adapters/simulated/scripts/summary-fields.ts';
import { parseRequest } from '../../../../src/adapters/simulated/scripts/parse-request.ts';
import { fieldsOf, summaryRequest } from '../../../../src/context/index.ts';
import { readSummary } from '../../../../src/context/summary/summary.ts';
import { POLICY_NAMES, smallCore } from '../../../support/policies.ts';
import { busyLog, cutOf } from '../../../support/transcripts.ts';

const script = {
  design: { goal: 'refunds [#e1]', rules: ['R1 holds', 'R2 waits'] },
  failures: 0,
  notes: ['look at R2'],
  key_paths: ['design/r1'],
};

test('what the script has in the right field stays, the rest is shared out once', () => {
  const asked = { goals: ['what'], state: 'where', key_paths: ['paths'], more: ['x (may be left out)'] };
  expect(inFields(script, asked)).toEqual({
    goals: ['refunds [#e1]', 'R1 holds'],
    state: 'R2 waits; 0',
    key_paths: ['design/r1'],
    more: ['look at R2'],
  });
});

test('a request for the fields of the script is answered word for word', () => {
  expect(inFields(script, { design: {}, failures: '', notes: [], key_paths: [] })).toBe(script);
  expect(inFields(script, { notes: ['x'], extra: 'y (may be left out)' })).toBe(script);
  expect(inFields(script, undefined)).toBe(script);
});

test('a script from before: a list goes into the list of an object of named fields, and what an object lacks is filled', () => {
  const fields = {
    issues: { layer2: ['l'], tried: ['l'] },
    paths: { dir: 'd', files: ['f'] },
    fed: { dir: 'd', count: 'c' },
  };
  expect(inFields({ issues: ['one', 'two'], paths: ['design/r1'], fed: { dir: 'x' } }, fields)).toEqual({
    issues: { layer2: ['one', 'two'], tried: [] },
    paths: { dir: 'nothing', files: ['design/r1'] },
    fed: { dir: 'x', count: 'nothing' },
  });
});

test('with too little to say, lists are empty, texts say so, and what may be left out is', () => {
  expect(inFields({ one: 'a' }, { x: ['l'], y: 't', z: { p: ['l'], q: 't' }, w: ['l (may be left out)'] })).toEqual({
    x: ['a'],
    y: 'nothing',
    z: { p: [], q: 'nothing' },
  });
});

test.each(POLICY_NAMES)('%s: the request shows its fields, and the scripted summary fits them', (name) => {
  const log = busyLog(14, 2000);
  const core = smallCore(name);
  const cut = { ...cutOf(log.entries, core), by: 'model' as const };
  const request = summaryRequest(log.entries, core, cut);
  const parsed = parseRequest({ model: 'm', max_tokens: 1, messages: request?.messages ?? [] } as Parameters<
    typeof parseRequest
  >[0]);
  expect(Object.keys(parsed.fields ?? {})).toEqual(Object.keys(fieldsOf(core)));
  const read = readSummary(writeSummary(script, parsed, false), fieldsOf(core));
  expect(read.ok ? read.text : read.detail).toContain('refunds [#e1]');
});
