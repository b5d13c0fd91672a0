import { describe, expect, test } from 'vitest';
import { SubjectBrief, subjectName, UserBrief, userModelName, chooserModelName } from '../../src/scenario/subject.ts';

const faultsOf = (subject: object) =>
  SubjectBrief.safeParse(subject).error?.issues.map(({ path, message }) => `${path.join('/')}: ${message}`) ?? [];

describe('the subject of a scenario', () => {
  test('is a model unless it says otherwise, as it always was', () => {
    const subject = SubjectBrief.parse({ model: 'm' });
    expect(subject).toEqual({ kind: 'model', model: 'm', max_tokens: 4096, max_steps: 12, seconds: 120 });
    expect(subjectName(subject)).toBe('m');
  });

  test.each([
    [{ kind: 'command', command: ['python3', 'agent.py'] }, 'command: python3 agent.py'],
    [{ kind: 'http', url: 'http://127.0.0.1:8080/turn' }, 'http: http://127.0.0.1:8080/turn'],
    [{ kind: 'recorded', traces: 'recorded' }, 'recorded: recorded'],
  ])('%j is named in reports', (subject, name) => {
    expect(subjectName(SubjectBrief.parse(subject))).toBe(name);
  });

  test.each<[object, string]>([
    [{}, 'model: a subject of the kind "model" needs "model"'],
    [{ kind: 'command' }, 'command: a subject of the kind "command" needs "command"'],
    [{ kind: 'http', url: 'file:///etc/passwd' }, 'url: '],
    [
      { kind: 'recorded', traces: 'x', model: 'm' },
      'model: "model" belongs to a subject of the kind "model"; this one is "recorded"',
    ],
    [{ kind: 'modle', model: 'm' }, 'kind: '],
  ])('%j is refused with what is missing or too much', (subject, fault) => {
    expect(faultsOf(subject)).toContainEqual(expect.stringContaining(fault));
  });
});

test('a user that a model plays is one word; only such a user has a model of its own', () => {
  expect(UserBrief.parse({})).toEqual({ simulator: 'auto', max_tokens: 1024 });
  expect(UserBrief.parse('model')).toEqual({ simulator: 'model', max_tokens: 1024 });
  expect(UserBrief.safeParse('robot').success).toBe(false);
  expect(UserBrief.safeParse({ simulator: 'none', model: 'm' }).success).toBe(false);
  const user = UserBrief.parse('model');
  expect(userModelName({ user, subject: SubjectBrief.parse({ model: 'm' }) })).toBe('m');
  expect(userModelName({ user, subject: SubjectBrief.parse({ kind: 'command', command: ['x'] }) })).toBeUndefined();
});

test('a subject behind Chat Completions needs base_url and model, and its keys belong to no other kind', () => {
  const messagesOf = (subject: object) =>
    SubjectBrief.safeParse(subject).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  const whole = {
    kind: 'openai',
    base_url: 'https://llm.example/v1',
    model: 'm',
    key: 'MY_KEY',
    stream: true,
    price: { input: 1, output: 2 },
  };
  expect(messagesOf(whole)).toEqual([]);
  expect(messagesOf({ kind: 'openai', model: 'm' })).toEqual([
    'base_url: a subject of the kind "openai" needs "base_url"',
  ]);
  expect(messagesOf({ kind: 'openai', base_url: 'https://llm.example/v1' })).toEqual([
    'model: a subject of the kind "openai" needs "model"',
  ]);
  expect(messagesOf({ kind: 'http', url: 'https://x.example', key: 'K' })).toEqual([
    'key: "key" belongs to a subject of the kind "openai"; this one is "http"',
  ]);
  expect(messagesOf({ kind: 'command', command: ['x'], model: 'm' })).toHaveLength(1);
});

test('a small model chooses the moves of a user where models are paid, rules elsewhere', () => {
  const user = UserBrief.parse('auto');
  const paid = SubjectBrief.parse({ model: 'claude-opus-5-5' });
  expect(chooserModelName({ user, subject: paid }, false)).toBe('claude-haiku-5-5');
  expect(chooserModelName({ user, subject: paid }, true)).toBeUndefined();
  expect(chooserModelName({ user, subject: SubjectBrief.parse({ model: 'own-model' }) }, false)).toBe('own-model');
  const program = SubjectBrief.parse({ kind: 'command', command: ['x'] });
  expect(chooserModelName({ user, subject: program }, false)).toBeUndefined();
  expect(chooserModelName({ user: UserBrief.parse({ model: 'm' }), subject: program }, true)).toBe('m');
});
