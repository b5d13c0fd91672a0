/** The OpenAPI document of the API, generated from the same table that the server uses. */
import { z } from 'zod';
import { API, type ApiPost, type ApiRoute } from './routes.ts';
import { ErrorBody } from './schemas.ts';

/** Every route may answer with these statuses. */
const REFUSALS = {
  '400': 'The request is not of this shape.',
  '401': 'Nobody is signed in.',
  '403': 'This person may not do this.',
  '404': 'No such run or gate.',
  '409': 'Stale: another digest, another gate, or answered already. Read again, decide again.',
  '422': 'The decision lacks something: a comment, the confirming word, a valid edit.',
  '429': 'Too many requests.',
};

export function openApi(): Record<string, unknown> {
  const routes: (ApiRoute | ApiPost)[] = Object.values(API);
  const paths = Map.groupBy(routes, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
  const operations = (all: typeof routes) =>
    Object.fromEntries(all.map((route) => ['body' in route ? 'post' : 'get', toOperation(route)]));
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
    paths: Object.fromEntries([...paths].map(([path, all]) => [path, operations(all)])),
  };
}

function toOperation(route: ApiRoute | ApiPost): Record<string, unknown> {
  const { summary, description, parameters, query = {}, answer, answered, refusals } = route;
  const [body, streams] = 'body' in route ? [route.body, route.streams] : [];
  const events = streams === true ? { 'text/event-stream': { schema: { type: 'string' } } } : {};
  const operation = {
    summary,
    description,
    parameters: [...parametersIn('path', parameters), ...parametersIn('query', query)],
    responses: {
      '200': { description: answered, content: { ...toJsonContent(answer, 'output'), ...events } },
      ...Object.fromEntries(Object.entries({ ...REFUSALS, ...refusals }).map(toRefusalResponse)),
    },
  };
  return body === undefined
    ? operation
    : { ...operation, requestBody: { required: true, content: toJsonContent(body, 'input') } };
}

function parametersIn(place: 'path' | 'query', names: Readonly<Record<string, string>>): object[] {
  return Object.entries(names).map(([name, description]) => ({
    ...{ name, in: place, required: place === 'path', description, schema: { type: 'string' } },
  }));
}

function toRefusalResponse([status, description]: [string, string]): [string, object] {
  return [status, { description, content: toJsonContent(ErrorBody, 'output') }];
}

function toJsonContent(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _draft, ...plain } = z.toJSONSchema(schema, { io });
  return { 'application/json': { schema: plain } };
}
