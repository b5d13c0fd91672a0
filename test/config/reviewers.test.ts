/** `config/reviewers.yaml`: what may stand in it, and what the one door is told of it. */
import { describe, expect, test } from 'vitest';
import { findHome } from '../../src/config/home.ts';
import { loadReviewers, toGatePermissions, Reviewers } from '../../src/config/reviewers.ts';

const parsed = (parts: object) => Reviewers.parse({ version: 1, ...parts });

test('the shipped file is valid, lists nobody, and lets nothing expire', async () => {
  const shipped = await loadReviewers(findHome(process.cwd()));
  expect(shipped).toMatchObject({ need: 1, reviewers: [], notices: [], remind_after_hours: [] });
  expect(shipped.expire_after_hours).toBeUndefined();
});

describe('what is refused', () => {
  test.each([
    ['a quorum that nobody can reach', { need: 2, reviewers: [{ name: 'ada' }, { name: 'bob', role: 'viewer' }] }],
    ['one person under two spellings', { reviewers: [{ name: 'Ada' }, { name: 'ada' }] }],
    ['a token instead of its digest', { reviewers: [{ name: 'ada', token_sha256: 'my-token' }] }],
    ['a name that could be an agent', { reviewers: [{ name: 'agent:init' }] }],
    ['a secret in the file', { notices: [{ kind: 'slack', url_env: 'https://hooks.slack.example/x' }] }],
    ['a word that means nothing', { approve_after_hours: 1 }],
    ['a proxy that may come from anywhere', { proxy: { header: 'x-user', addresses: [] } }],
  ])('%s', (_name, parts) => {
    expect(() => parsed(parts)).toThrow();
  });
});

test('the door hears who may decide in this scenario; with nobody listed, nothing', () => {
  const listed = parsed({
    starter_may_decide: false,
    reviewers: [{ name: 'ada' }, { name: 'gil', scenarios: ['gift-desk'] }, { name: 'vic', role: 'viewer' }],
  });
  expect(toGatePermissions(listed, 'refund-desk')).toEqual({
    starterMayDecide: false,
    policyMayDecide: false,
    deciders: ['user:ada'],
  });
  expect(toGatePermissions(listed, 'gift-desk').deciders).toEqual(['user:ada', 'user:gil']);
  expect(toGatePermissions(parsed({}), 'x')).toEqual({ starterMayDecide: true, policyMayDecide: false });
});
