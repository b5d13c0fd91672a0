/** The rules of every channel for notices. */
import assert from 'node:assert/strict';
import type { Notice, NoticeChannel, Recipient } from '../../../src/ports/notices.ts';
import { createCases, type Checks, type ContractCase } from './contract-case.ts';

export const CONTRACT_NOTICE: Notice = {
  id: 'run-1.HITL-1.r1.opened',
  kind: 'opened',
  run: 'run-1',
  scenario: 'refund-desk',
  gate: 'HITL-1.r1',
  digest: 'd'.repeat(64),
  title: 'Refund desk',
  text: 'HITL-1.r1 of refund-desk waits for a decision.',
  url: 'https://review.example.org/runs/run-1/gates/HITL-1.r1',
};

export const CONTRACT_RECIPIENT: Recipient = {
  name: 'ada',
  email: 'ada@example.org',
  url: 'https://review.example.org/sign-in?token=adas-own',
  signed: true,
};

export type ChannelUnderTest = {
  channel: NoticeChannel;
  /** Returns all received notices: the text, and the mark by which a receiver recognises a repeated one. */
  received: () => readonly string[];
};

type OpenChannel = (takes: boolean) => Promise<ChannelUnderTest>;

const { signal } = new AbortController();
const sendNotice = (channel: NoticeChannel) => channel.send(CONTRACT_NOTICE, signal, CONTRACT_RECIPIENT);

const CHECKS: Checks<OpenChannel> = {
  'it has a name, and a notice arrives with its gate': async (open) => {
    const { channel, received } = await open(true);
    assert.notEqual(channel.name, '');
    await sendNotice(channel);
    assert.equal(received().length, 1);
    assert.match(received()[0] ?? '', /HITL-1\.r1/);
  },
  'the same notice may be sent again; both carry what tells that they are one': async (open) => {
    const { channel, received } = await open(true);
    await sendNotice(channel);
    await sendNotice(channel);
    assert.equal(received().length, 2);
    assert.equal(received()[1], received()[0]);
  },
  'what is not taken rejects as a fault of the infrastructure, without naming where it went': async (open) => {
    const { channel, received } = await open(false);
    await assert.rejects(sendNotice(channel), (error: { code?: unknown; details?: { of?: unknown } }) => {
      assert.equal(error.code, 'infrastructure');
      assert.match(String(error.details?.of), /^(channel|message)$/);
      return true;
    });
    assert.ok(received().length > 0);
  },
  'an abort sends nothing': async (open) => {
    const { channel, received } = await open(true);
    const aborted = AbortSignal.abort(new Error('enough'));
    await assert.rejects(channel.send(CONTRACT_NOTICE, aborted, CONTRACT_RECIPIENT));
    assert.deepEqual(received(), []);
  },
};

/** `open` is told whether the receiver accepts messages. */
export function noticesCases(open: OpenChannel): ContractCase[] {
  return createCases(CHECKS, async () => open);
}
