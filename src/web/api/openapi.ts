/** The OpenAPI document of the API, from the schemas that check it. */
import { z } from 'zod';
import {
  ChatAnswer,
  DecisionResult,
  DecisionBody,
  GateAnswer,
  QuestionBody,
  ErrorBody,
  RunAnswer,
  UndoBody,
  UndoResult,
  WaitingGateItem,
} from './schemas.ts';

const json = (schema: z.ZodType, io: 'input' | 'output' = 'output') => {
  const { $schema: _draft, ...plain } = z.toJSONSchema(schema, { io });
  return { 'application/json': { schema: plain } };
};
const answer = (description: string, schema: z.ZodType) => ({ description, content: json(schema) });
const refusals = Object.fromEntries(
  [
    ['400', 'The request is not of this shape.'],
    ['401', 'Nobody is signed in.'],
    ['403', 'This person may not do this.'],
    ['404', 'No such run or gate.'],
    ['409', 'Stale: another digest, another gate, or answered already. Read again, decide again.'],
    ['422', 'The decision lacks something: a comment, the confirming word, a valid edit.'],
    ['429', 'Too many requests.'],
  ].map(([status = '', description = '']) => [status, answer(description, ErrorBody)]),
);
const parameter = (name: string, description: string) => ({
  ...{ name, in: 'path', required: true, description },
  schema: { type: 'string' },
});
const gateId = parameter('id', 'Run and gate: run-1.HITL-1.r2');

const runId = parameter('id', 'Id of the run');
const gateParameter = parameter('gate', 'Of this gate only: HITL-1.r2');
const ASKING = [
  'Who may decide may ask. Init answers with the conversation in which it made the design; nothing said here changes it.',
  'The answer may take a minute. With `Accept: text/event-stream` it is told while it is made: events `heard`',
  '(`{type: looking | text | again | written_off}`), then one `answer` or `refused`. Whoever hangs up takes the question',
  'back; what a call that was under way may have cost counts.',
].join(' ');

export function openApi(): unknown {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tandem review API',
      version: '1',
      description:
        'What waits at HITL-1, the one door to decide it, and questions to Init. Who speaks is who the bearer token belongs to.',
    },
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/api/gates': {
        get: {
          summary: 'Gates that wait, oldest first',
          responses: { '200': answer('They wait.', z.array(WaitingGateItem)), ...refusals },
        },
      },
      '/api/gates/{id}': {
        get: {
          summary: 'One gate with its review pack',
          parameters: [gateId],
          responses: { '200': answer('The gate.', GateAnswer), ...refusals },
        },
      },
      '/api/gates/{id}/decision': {
        post: {
          summary: 'Decide',
          parameters: [gateId],
          requestBody: { required: true, content: json(DecisionBody, 'input') },
          responses: { '200': answer('Recorded, or recorded before under this nonce.', DecisionResult), ...refusals },
        },
      },
      '/api/gates/{id}/undo': {
        post: {
          summary: 'Take a decision back, until the next step makes its first paid call',
          parameters: [gateId],
          requestBody: { required: true, content: json(UndoBody, 'input') },
          responses: { '200': answer('The gate waits again.', UndoResult), ...refusals },
        },
      },
      '/api/runs/{id}/chat': {
        get: {
          summary: 'What was asked about the designs of a run, and answered; oldest first',
          parameters: [runId, { ...gateParameter, in: 'query', required: false }],
          responses: { '200': answer('The exchanges.', z.array(ChatAnswer)), ...refusals },
        },
        post: {
          summary: 'Ask Init about a design',
          description: ASKING,
          parameters: [runId],
          requestBody: { required: true, content: json(QuestionBody, 'input') },
          responses: {
            '200': {
              description: 'Answered, or answered before under this nonce.',
              content: {
                ...json(ChatAnswer),
                'text/event-stream': { schema: { type: 'string' } },
              },
            },
            ...refusals,
            '402': answer('The budget of the run has no room for an answer; nothing was asked.', ErrorBody),
            '502': answer('The model came to no answer: ask otherwise, or in smaller parts.', ErrorBody),
            '503': answer('The model is away: ask again with a fresh nonce.', ErrorBody),
          },
        },
      },
      '/api/runs/{id}': {
        get: {
          summary: 'How a run stands',
          parameters: [runId],
          responses: { '200': answer('It stands so.', RunAnswer), ...refusals },
        },
      },
    },
  };
}
