/** Whatever a server says of its tools, an agent is shown definitions that the Messages API takes, and loses none in silence. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offerTools } from '../../../src/adapters/mcp/offered-tools.ts';
import { ToolDefinition } from '../../../src/transcript/message.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const schema = { type: 'object', properties: {} };

test('names that the API refuses are replaced, and no two become one', () => {
  const names = ['read file', 'read_file', 'read/file', 'x'.repeat(90), `${'x'.repeat(90)}y`, ''];
  const { definitions, owners, problems } = offerTools(
    'docs',
    names.map((name) => ({ name, inputSchema: schema })),
  );
  expect(problems).toEqual([]);
  expect(new Set(definitions.map(({ name }) => name)).size).toBe(names.length);
  expect(definitions[1]?.name).toBe('mcp__docs__read_file');
  expect(definitions.map(({ name }) => owners.get(name)?.tool)).toEqual(names);
});

test('alternatives at the top of a schema are left to the server, the rest of it goes on', () => {
  const inputSchema = { $schema: 'x', oneOf: [schema], properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } };
  const [definition] = offerTools('docs', [{ name: 'a', inputSchema }]).definitions;
  expect(definition?.input_schema).toEqual({
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: { a: {} },
  });
});

test('any tools: each is offered in a form that the API takes, or is named with its reason', () => {
  const tool = fc.record({
    name: fc.string({ unit: anyCharacter }),
    description: fc.string({ unit: anyCharacter }),
    inputSchema: fc.anything(),
  });
  fc.assert(
    fc.property(fc.array(tool, { maxLength: 8 }), (tools) => {
      const { definitions, problems } = offerTools('docs', tools);
      expect(definitions.length + problems.length).toBe(tools.length);
      for (const definition of definitions) {
        expect(ToolDefinition.safeParse(definition).success).toBe(true);
        expect(definition.description.isWellFormed()).toBe(true);
      }
    }),
    propertyRuns(60),
  );
});
