/** What is sent to whom: every channel and every person once, and none of them held up by another. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HarnessError } from '../../../src/errors.ts';
import { createNotifier, type Notifier } from '../../../src/gate/notices/send-notices.ts';
import type { NoticeSubject, OpenChannel } from '../../../src/gate/notices/collect-notices.ts';
import type { DueNotice } from '../../../src/gate/notices/due-notices.ts';
import { NOTICE_KINDS, createNoticeError, type NoticeFault, type NoticeKind } from '../../../src/ports/notices.ts';
import { openSharedFiles } from '../../../src/disk/shared-files.ts';
import { scratch } from '../../support/scratch.ts';

const never = new AbortController().signal;
const START = Date.parse('2026-11-20T10:00:00.000Z');
let nowMs: number;
let dir: string;
let lines: string[];
const clock = { now: () => new Date(nowMs) };

beforeEach(async () => {
  [nowMs, lines, dir] = [START, [], await scratch()];
});

type Fake = OpenChannel & { got: string[]; answer: (id: string, to: string | undefined) => NoticeFault | undefined };

function fake(name: string, more: Partial<Fake> = {}): Fake {
  const channel: Fake = {
    name,
    personal: false,
    kinds: NOTICE_KINDS,
    got: [],
    answer: () => undefined,
    ...more,
    send: (notice, _signal, to) => {
      const fault = channel.answer(notice.id, to?.name);
      if (fault !== undefined) return Promise.reject(createNoticeError(`${name} says no.`, fault));
      channel.got.push(to === undefined ? notice.id : `${notice.id} ${to.name}`);
      return Promise.resolve();
    },
  };
  return channel;
}

const PEOPLE = ['ada', 'bob', 'eve'];

function notifier(channels: readonly OpenChannel[], isMine = () => true): Notifier {
  const recipients = PEOPLE.map((name) => ({ name, email: `${name}@example.org`, url: '', signed: false }));
  return createNotifier({
    ...{ clock, channels, shared: openSharedFiles(dir) },
    isMine: () => Promise.resolve(isMine()),
    linksOf: () => ({ url: 'http://desk.test/', recipients }),
    log: (line) => lines.push(line),
  });
}

const notice = (id: string, more: Partial<DueNotice> = {}): DueNotice => ({
  ...{ id, kind: 'opened', run: 'run-1', title: '', text: '', at: clock.now().toISOString(), waits: true },
  ...more,
});

const subject = (key: string, due: readonly DueNotice[], more: Partial<NoticeSubject> = {}): NoticeSubject => ({
  ...{
    key,
    mark: due.map(({ id }) => id).join(),
    book: { files: openSharedFiles(dir), path: `${key}/notices.json` },
    isFresh: true,
  },
  due: () => Promise.resolve(due),
  ...more,
});

async function tell(by: Notifier, ...subjects: NoticeSubject[]): Promise<void> {
  await by.collect(subjects);
  await by.deliver(never);
}

const stateOf = async (key: string) => {
  const { deliveries } = JSON.parse(await readFile(join(dir, key, 'notices.json'), 'utf8')) as {
    deliveries: { id: string; channel: string; to?: string; state: string; why?: string; tries: number }[];
  };
  return deliveries.map(({ id, channel, to, state, why }) => [id, to ?? channel, state, why ?? '']);
};

test('each channel gets it once, two of one kind too, and again by nobody who comes after', async () => {
  const channels = [fake('slack'), fake('slack-2'), fake('email', { personal: true })];
  const one = subject('run', [notice('a')]);
  for (let round = 0; round < 2; round += 1) await tell(notifier(channels), one);
  expect(channels.map(({ got }) => got.toSorted())).toEqual([['a'], ['a'], ['a ada', 'a bob', 'a eve']]);
});

test('a notice that concerns one person is sent to nobody else, and to each channel that is no person', async () => {
  const channels = [fake('slack'), fake('email', { personal: true })];
  await tell(notifier(channels), subject('run', [notice('a', { kind: 'handed', to: 'bob' })]));
  expect(channels.map(({ got }) => got)).toEqual([['a'], ['a bob']]);
});

test('an address that is refused starves nobody, is given up, and is on record with the reason', async () => {
  const refuses = (_id: string, to?: string): NoticeFault | undefined =>
    to === 'ada' ? { of: 'message', final: true } : undefined;
  const mail = fake('email', { personal: true, answer: refuses });
  const by = notifier([mail]);
  for (const id of ['a', 'b']) await tell(by, subject('run', [notice('a'), ...(id === 'b' ? [notice('b')] : [])]));
  expect(mail.got.toSorted()).toEqual(['a bob', 'a eve', 'b bob', 'b eve']);
  expect((await stateOf('run'))[0]).toEqual(['a', 'ada', 'refused', 'email says no.']);
  expect(by.counts()).toContainEqual({ channel: 'email', state: 'refused', value: 2 });
});

test('a message that is refused again and again is given up; the others go', async () => {
  const slack = fake('slack', { answer: (id) => (id === 'bad' ? { of: 'message' } : undefined) });
  const by = notifier([slack]);
  const both = subject('run', [notice('bad'), notice('good')]);
  for (let round = 0; round < 12; round += 1) {
    await tell(by, both);
    nowMs += 1_800_000;
  }
  expect(slack.got).toEqual(['good']);
  expect(lines).toHaveLength(6);
  expect(await stateOf('run')).toContainEqual(['bad', 'slack', 'refused', 'slack says no.']);
});

test('a channel that never answers holds up no other channel and no look', async () => {
  const stop = new AbortController();
  const hangs: OpenChannel = {
    ...fake('slow'),
    send: (_notice, signal) =>
      new Promise((_settle, fail) => signal.addEventListener('abort', () => fail(new Error('stopped')))),
  };
  const fast = fake('fast');
  const by = notifier([hangs, fast]);
  await by.collect([subject('one', [notice('a')])]);
  const first = by.deliver(stop.signal).catch((error: unknown) => String(error));
  await by.collect([subject('two', [notice('b')])]);
  const second = by.deliver(stop.signal).catch((error: unknown) => String(error));
  await expect.poll(() => fast.got.toSorted()).toEqual(['a', 'b']);
  stop.abort(new Error('enough'));
  expect(await Promise.all([first, second])).toEqual(['Error: enough', 'Error: enough']);
});

describe('a channel that is away', () => {
  test('is tried with one message after its own pause, whoever asks; then everything goes', async () => {
    let asked = 0;
    let isAway = true;
    const answer = (): NoticeFault | undefined => {
      asked += 1;
      return isAway ? { of: 'channel' } : undefined;
    };
    const slack = fake('slack', { answer });
    const many = PEOPLE.map((key) => subject(key, [notice(`${key}.1`), notice(`${key}.2`)]));
    const by = notifier([slack]);
    await tell(by, ...many);
    const before = asked;
    expect(by.failing()).toEqual(['slack']);
    // Another process knows of the pause from the disk.
    await tell(notifier([slack]), ...many);
    expect(asked).toBe(before);
    nowMs += 31_000;
    await tell(by, ...many);
    expect(asked).toBe(before + 1);
    nowMs += 31_000;
    await tell(by, ...many);
    expect(asked).toBe(before + 1);
    isAway = false;
    nowMs += 61_000;
    await tell(by, ...many);
    expect(slack.got).toHaveLength(6);
    expect(by.failing()).toEqual([]);
  });

  test('is left alone as long as it wants, and what was due meanwhile is on disk and goes out later', async () => {
    let fault: NoticeFault | undefined = { of: 'channel', retryAfterMs: 7_200_000 };
    const slack = fake('slack', { answer: () => fault });
    const run = subject('run', [notice('a', { waits: false, kind: 'ended', at: '2026-11-20T10:00:01.000Z' })]);
    await tell(notifier([slack]), run);
    expect(await stateOf('run')).toEqual([['a', 'slack', 'waiting', 'slack says no.']]);
    fault = undefined;
    nowMs += 7_100_000;
    await tell(notifier([slack]), run);
    expect(slack.got).toEqual([]);
    // Three days later it is no news any more, and was due all the same.
    nowMs += 3 * 86_400_000;
    await tell(notifier([slack]), { ...run, isFresh: false });
    expect(slack.got).toEqual(['a']);
  });

  test('for a week loses what waited, and says so', async () => {
    const slack = fake('slack', { answer: () => ({ of: 'channel' }) });
    const by = notifier([slack]);
    for (let day = 0; day < 9; day += 1) {
      await tell(by, subject('run', [notice('a')]));
      nowMs += 86_400_000;
    }
    expect((await stateOf('run'))[0]?.[2]).toBe('refused');
    expect(slack.got).toEqual([]);
  });
});

test('what was answered before it could be sent is dropped', async () => {
  const slack = fake('slack', { answer: (id) => (id === 'a' ? { of: 'channel' } : undefined) });
  const by = notifier([slack]);
  await tell(by, subject('run', [notice('a')]));
  nowMs += 31_000;
  await tell(by, subject('run', [notice('b', { kind: 'decided', waits: false })]));
  expect(slack.got).toEqual(['b']);
  expect((await stateOf('run')).map(([id, , state]) => [id, state])).toEqual([
    ['a', 'dropped'],
    ['b', 'sent'],
  ]);
});

test.each<[NoticeKind[], string[]]>([
  [['ended'], ['end']],
  [
    ['opened', 'errored'],
    ['open', 'error'],
  ],
])('a channel for %j gets those only', async (kinds, ids) => {
  const slack = fake('slack', { kinds });
  await tell(notifier([slack]), subject('first', []));
  nowMs += 1000;
  const rest = [notice('end', { kind: 'ended' }), notice('error', { kind: 'errored' })];
  await tell(notifier([slack]), subject('run', [notice('open'), ...rest]));
  expect(slack.got).toEqual(ids);
});

describe('a channel that is new', () => {
  test('hears what waits, and not what was over before it came', async () => {
    const over = notice('over', { kind: 'ended', waits: false, at: '2026-11-20T09:00:00.000Z' });
    const [old, fresh] = [fake('old'), fake('new')];
    await tell(notifier([old, fresh]), subject('run', [over, notice('waits')]));
    expect(fresh.got).toEqual(['waits']);
  });

  test('by its name alone: what an earlier version sent through it is not sent again', async () => {
    const slack = fake('slack');
    const sentBefore = () => Promise.resolve(['a.slack']);
    await tell(notifier([slack]), subject('run', [notice('a'), notice('b')], { sentBefore }));
    expect(slack.got).toEqual(['b']);
  });
});

test('only whose turn it is sends, and whoever takes over sends what is left', async () => {
  let turn = 'one';
  const slack = fake('slack');
  const [one, two] = ['one', 'two'].map((name) => notifier([slack], () => turn === name));
  if (one === undefined || two === undefined) throw new Error('two notifiers');
  await tell(two, subject('a', [notice('a')]));
  expect(slack.got).toEqual([]);
  await tell(one, subject('a', [notice('a')]));
  await one.collect([subject('b', [notice('b')])]);
  turn = 'two';
  await one.deliver(never);
  await tell(two, subject('a', [notice('a')]), subject('b', [notice('b')]));
  turn = 'one';
  await tell(one, subject('a', [notice('a')]), subject('b', [notice('b')]));
  expect(slack.got.toSorted()).toEqual(['a', 'b']);
});

test('one that cannot be read holds up no other, and is said once', async () => {
  const slack = fake('slack');
  const by = notifier([slack]);
  const broken = subject('broken', [], {
    due: () => Promise.reject(new HarnessError('data_corrupt', 'pack.json is not whole JSON.')),
  });
  for (let round = 0; round < 3; round += 1) await tell(by, broken, subject('run', [notice('a')]));
  expect(slack.got).toEqual(['a']);
  expect(lines).toEqual(['notices: pack.json is not whole JSON.']);
});
