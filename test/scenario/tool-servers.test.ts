/** `tools:` of scenario.yaml: what cannot be evaluated is refused by the server's name. */
import { expect, test } from 'vitest';
import { ScenarioTools } from '../../src/scenario/tool-servers.ts';

const whole = { name: 'stock', command: ['x'], reset: { tool: 'a' }, state: { command: ['b'] } };

function faultsOf(...servers: object[]): string[] {
  const parsed = ScenarioTools.safeParse({ mcp: servers });
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('/')}: ${message}`);
}

test('a server is a program or an address, with a way to set its state and one to read it', () => {
  expect(faultsOf(whole)).toEqual([]);
  const { command: _command, ...rest } = whole;
  expect(faultsOf({ ...rest, url: 'https://a.example/mcp', headers: { Authorization: 'STOCK_TOKEN' } })).toEqual([]);
  const byProgram = ScenarioTools.parse({ mcp: [{ ...whole, reset: { command: ['r', '{dir}'] } }] });
  expect(byProgram.mcp[0]?.reset).toEqual({ command: ['r', '{dir}'], restart: true });
});

test.each<[string, object, RegExp]>([
  ['without reset', { reset: undefined }, /^mcp\/0\/reset: the server "stock" cannot be evaluated without it/],
  ['without state', { state: undefined }, /^mcp\/0\/state: the server "stock" cannot be evaluated without it/],
  ['with both', { url: 'https://a.example' }, /^mcp\/0\/command: the server "stock" needs command or url/],
  ['with headers for a program', { headers: { A: 'B' } }, /^mcp\/0\/headers: the server "stock" is a program/],
  ['with a secret in the file', { env: ['TOKEN=abc'] }, /the name of an environment variable, not its value/],
])('%s it is refused by name', (_title, more, message) => {
  expect(faultsOf({ ...whole, ...more })).toEqual([expect.stringMatching(message)]);
});

test('a server that changes nothing says so, and then there is nothing to set', () => {
  const { reset: _reset, ...rest } = whole;
  expect(faultsOf({ ...rest, state: 'none' })).toEqual([]);
  expect(faultsOf({ ...whole, state: 'none' })).toEqual([
    'mcp/0/reset: the server "stock" has no state (state: none), so there is nothing to set',
  ]);
});

test('two servers of one name', () => {
  expect(faultsOf(whole, whole)).toEqual(['mcp: two servers have one name']);
});
