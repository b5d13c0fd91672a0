import { expect, test } from 'vitest';
import { proveHire } from './tool-hire.ts';

const first = async (edits: Parameters<typeof proveHire>[0]) => (await proveHire(edits)).problems[0];

test('a tool that leaves a place undone in all gold paths with it is named before their samples', async () => {
  const edit: [string, string] = ['  world.session.tries += 1;\n', ''];
  expect(await first({ 'tools/identify.mjs': edit })).toMatchObject({ layer: 2, component: 'identify' });
});

test('where gold lacks a call of its own, the tool is not suspected', async () => {
  const gone: [string, string] = [
    `    {
      "tool": "charge",
      "args": {
        "hire": "H-10",
        "kind": "damage",
        "cents": 4500
      }
    },
    {
      "tool": "log_contact",
      "args": {
        "outcome": "returned"
      }
    }
  ],
  "gold_says"`,
    `    {
      "tool": "log_contact",
      "args": {
        "outcome": "returned"
      }
    }
  ],
  "gold_says"`,
  ];
  const found = await first({ 'samples/broken-and-late.json': gone });
  expect(found).toMatchObject({ layer: 4, component: 'broken-and-late' });
});
