/** The OpenAPI document of the API, from the schemas that check it. */
import { z } from 'zod';
import { DecisionBody, Decided, GateAnswer, Refusal, RunAnswer, UndoBody, Undone, Waiting } from './schemas.ts';

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
  ].map(([status = '', description = '']) => [status, answer(description, Refusal)]),
);
const parameter = (name: string, description: string) => ({
  ...{ name, in: 'path', required: true, description },
  schema: { type: 'string' },
});
const gateId = parameter('id', 'Run and gate: run-1.HITL-1.r2');

export function openApi(): unknown {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tandem review API',
      version: '1',
      description:
        'What waits at HITL-1, and the one door to decide it. Who decides is who the bearer token belongs to.',
    },
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/api/gates': {
        get: {
          summary: 'Gates that wait, oldest first',
          responses: { '200': answer('They wait.', z.array(Waiting)), ...refusals },
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
          responses: { '200': answer('Recorded, or recorded before under this nonce.', Decided), ...refusals },
        },
      },
      '/api/gates/{id}/undo': {
        post: {
          summary: 'Take a decision back, until the next step makes its first paid call',
          parameters: [gateId],
          requestBody: { required: true, content: json(UndoBody, 'input') },
          responses: { '200': answer('The gate waits again.', Undone), ...refusals },
        },
      },
      '/api/runs/{id}': {
        get: {
          summary: 'How a run stands',
          parameters: [parameter('id', 'Id of the run')],
          responses: { '200': answer('It stands so.', RunAnswer), ...refusals },
        },
      },
    },
  };
}
