/** The adapters of `plugins.mjs` keep the contracts of Tandem's ports. Any runner will do; this is Node's own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  channelOf,
  graderCases,
  graderOf,
  noticesCases,
  sandboxCases,
  shippedSandbox,
  subjectCases,
  subjectOf,
} from 'tandem-harness/testing';
import { board, bridge, counted, sayer } from './plugins.mjs';

describe('an agent behind a queue', () => {
  const cases = subjectCases((start, answers) => {
    const left = [...answers];
    const send = () => (left.length === 0 ? new Promise(() => {}) : Promise.resolve(left.shift()));
    return subjectOf(bridge({ send })).open(start);
  });
  for (const { title, run } of cases) test(title, run);
});

describe('a grader that looks for a day', () => {
  for (const { title, run } of graderCases(graderOf(sayer))) test(title, run);
});

describe('a board for notices', () => {
  const cases = noticesCases(async (takes) => {
    const posts = [];
    const post = async ({ key, text }) => (posts.push(`${key} ${text}`), takes ? 200 : 503);
    return { channel: channelOf(board(post)), received: () => posts };
  });
  for (const { title, run } of cases) test(title, run);
});

describe('a sandbox that counts', () => {
  let calls = 0;
  const open = () => counted(() => (calls += 1))(shippedSandbox);
  for (const { title, run } of sandboxCases(open)) test(title, run);
  test('it has counted', () => assert.ok(calls > 0));
});
