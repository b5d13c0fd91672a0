import { expect, test } from 'vitest';
import { withoutReferences } from '../../../src/interop/promptfoo/shapes.ts';

test('a reference is what stands there, with what is beside it; one that leads nowhere, or in a circle, stays', () => {
  const config = {
    templates: {
      short: { type: 'contains', value: 'a' },
      again: { $ref: '#/templates/short' },
      round: { $ref: '#/templates/round' },
    },
    tests: [{ $ref: '#/templates/again', value: 'b' }, { $ref: '#/nowhere' }, { $ref: '#/templates/round' }],
  };
  expect(withoutReferences(config)).toMatchObject({
    tests: [{ type: 'contains', value: 'b' }, { $ref: '#/nowhere' }, { $ref: '#/templates/round' }],
  });
});
