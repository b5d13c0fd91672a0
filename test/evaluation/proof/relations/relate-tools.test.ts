import { expect, test } from 'vitest';
import { relateTools } from '../../../../src/evaluation/proof/relations/relate-tools.ts';
import { trustedSandbox } from '../../lamps.ts';
import { groupCases, listCodes, proveHire, readHireDesign, type Edits } from '../tool-hire.ts';

test('without a gold path there is no call to begin with', async () => {
  const components = { tools: [], checkers: [], samples: [], worlds: [], paths: undefined } as never;
  const input = { components, design: await readHireDesign(), proofs: [], readOnly: new Set<string>() };
  const session = await trustedSandbox().open('/');
  expect(await relateTools(input, session, new AbortController().signal)).toEqual([]);
  await session.close();
});

const OWN = 'hire === undefined || hire.member !== world.session.member';
const FAULTS = (
  [
    [
      'somebody is identified by the beginning of a PIN',
      'tools/identify.mjs',
      'member.pin !== input.pin.trim()',
      '!member.pin.startsWith(input.pin.trim())',
      'tool-identity-loose identify',
    ],
    [
      'a refusal counts all the same',
      'tools/extend_hire.mjs',
      "if (hire.state !== 'out') return",
      "hire.extensions += hire.state === 'out' ? 0 : 1;\n  if (hire.state !== 'out') return",
      'tool-refusal-writes extend_hire',
    ],
    [
      'a success does nothing',
      'tools/extend_hire.mjs',
      "return { ok: false, error: 'the tool is back already' }",
      'return { ok: true, due: hire.due, extensions: hire.extensions }',
      'tool-success-empty extend_hire',
    ],
    [
      'an answer holds the loans of others',
      'tools/read_hire.mjs',
      'state: hire.state,',
      'state: hire.state, loans: world.hires,',
      'tool-leaks-records read_hire',
    ],
    [
      'an answer is always the same',
      'tools/read_hire.mjs',
      'reserved: item.reserved',
      'reserved: false',
      'tool-answer-fixed read_hire',
    ],
    [
      'the first record is taken for the asked one',
      'tools/return_tool.mjs',
      'world.tools[hire.tool].state = input',
      'world.tools[Object.keys(world.tools)[0]].state = input',
      'tool-key-order return_tool',
    ],
    [
      'another amount is answered',
      'tools/charge.mjs',
      'charged_cents: entry.cents',
      'charged_cents: 0',
      'tool-answer-untrue charge',
    ],
    [
      'the book loses its earlier lines',
      'tools/log_contact.mjs',
      'world.book.push({ outcome: input.outcome })',
      'world.book = [{ outcome: input.outcome }]',
      'tool-overwrites log_contact',
    ],
    ['the loans of others can be charged', 'tools/charge.mjs', OWN, 'hire === undefined', 'tool-guard-missing charge'],
  ] as const
).map(([what, file, from, to, code]) => ({ what, code, edits: { [file]: [from, to] } as Edits }));

const GROUPS = groupCases(FAULTS).map((group) => [group.cases.map(({ what }) => what).join('; '), group] as const);

test.each(GROUPS)('%s', async (_, { edits, cases }) => {
  expect(listCodes(await proveHire(edits))).toEqual(expect.arrayContaining(cases.map(({ code }) => code)));
});
