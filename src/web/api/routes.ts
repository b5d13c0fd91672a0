/** The JSON API, route by route: the server serves this table, and the OpenAPI document is generated from it. */
import { z } from 'zod';
import {
  ChatAnswer,
  DecisionBody,
  DecisionResult,
  GateAnswer,
  QuestionBody,
  RunAnswer,
  UndoBody,
  UndoResult,
  WaitingGateItem,
} from './schemas.ts';

export type ApiRoute<Answer extends z.ZodType = z.ZodType> = {
  path: string;
  summary: string;
  description?: string;
  /** Describes each name in the path. */
  parameters: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  answer: Answer;
  answered: string;
  /** Statuses in addition to those that every route has. */
  refusals?: Readonly<Record<string, string>>;
};

export type ApiPost<Body extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> = ApiRoute<Answer> & {
  body: Body;
  /** The name of the body in error messages. */
  bodyName: string;
  /** Set when a request that accepts `text/event-stream` is answered by events. */
  streams?: true;
};

const gate = { id: 'Run and gate: run-1.HITL-1.r2' };
const run = { id: 'Id of the run' };

export const API = {
  gates: {
    ...{ path: '/api/gates', summary: 'Gates that wait, oldest first', parameters: {} },
    ...{ answer: z.array(WaitingGateItem), answered: 'They wait.' },
  },
  gate: {
    ...{ path: '/api/gates/:id', summary: 'One gate with its review pack', parameters: gate },
    ...{ answer: GateAnswer, answered: 'The gate.' },
  },
  decide: {
    ...{ path: '/api/gates/:id/decision', summary: 'Decide', parameters: gate },
    ...{ body: DecisionBody, bodyName: 'decision' },
    ...{ answer: DecisionResult, answered: 'Recorded, or recorded before under this nonce.' },
  },
  undo: {
    path: '/api/gates/:id/undo',
    summary: 'Take a decision back, until the next step makes its first paid call',
    ...{ parameters: gate, body: UndoBody, bodyName: 'undo' },
    ...{ answer: UndoResult, answered: 'The gate waits again.' },
  },
  chat: {
    path: '/api/runs/:id/chat',
    summary: 'What was asked about the designs of a run, and answered; oldest first',
    parameters: run,
    query: { gate: 'Of this gate only: HITL-1.r2' },
    ...{ answer: z.array(ChatAnswer), answered: 'The exchanges.' },
  },
  ask: {
    path: '/api/runs/:id/chat',
    summary: 'Ask Init about a design',
    description: [
      'Who may decide may ask. Init answers with the conversation in which it made the design; nothing said here changes it.',
      'The answer may take a minute. With `Accept: text/event-stream` it is streamed: events `heard`',
      '(`{type: looking | text | again | written_off | context}`), then one `answer` or `refused`. Whoever hangs up takes the question',
      'back; what a call that was under way may have cost counts.',
    ].join(' '),
    ...{ parameters: run, body: QuestionBody, bodyName: 'question', streams: true },
    ...{ answer: ChatAnswer, answered: 'Answered, or answered before under this nonce.' },
    refusals: {
      '402': 'The budget of the run has no room for an answer; nothing was asked.',
      '502': 'The model came to no answer: ask otherwise, or in smaller parts.',
      '503': 'The model is away: ask again with a fresh nonce.',
    },
  },
  run: {
    ...{ path: '/api/runs/:id', summary: 'The state of a run', parameters: run },
    ...{ answer: RunAnswer, answered: 'The state of the run.' },
  },
} satisfies Record<string, ApiRoute | ApiPost>;
