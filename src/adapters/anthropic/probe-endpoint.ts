/** Asks an endpoint who it is, without calling a model. */
import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { createClient, type EndpointOptions } from './endpoint.ts';
import { judgeFailure } from './failure.ts';

/** `simulated` says that the answer came from the offline model, which marks every answer with this header. */
export type EndpointProbe = {
  reachable: boolean;
  simulated: boolean;
  detail: string;
  /** The key is not known there. */
  refused?: true;
};

const ModelPage = z.object({ data: z.array(z.object({ id: z.string() })) });
const SIMULATOR_HEADER = 'tandem-simulator';
const LONGEST_ANSWER_MS = 10_000;

/** Contract: never rejects for what the endpoint does; an abort rejects with `signal.reason`. One request, no retry. */
export async function probeEndpoint(options: EndpointOptions, signal: AbortSignal): Promise<EndpointProbe> {
  signal.throwIfAborted();
  const client = createClient({ ...options, timeoutMs: Math.min(options.timeoutMs, LONGEST_ANSWER_MS) });
  try {
    const response = await client.get('/v1/models', { query: { limit: 1 }, signal }).asResponse();
    const body = await response.text();
    signal.throwIfAborted();
    if (body.trimStart().startsWith('<'))
      return { reachable: false, simulated: false, detail: `${options.baseUrl} answers with a web page.` };
    const isModels = ModelPage.safeParse(parseJson(body)).success;
    const detail = isModels ? 'answers as a Messages API' : 'answers, but not as a Messages API: check the address';
    return { reachable: true, simulated: isModels && response.headers.has(SIMULATOR_HEADER), detail };
  } catch (error) {
    signal.throwIfAborted();
    const { error: failure } = judgeFailure(error, options, Date.now());
    if (!(error instanceof APIError) || error instanceof APIConnectionError) {
      return { reachable: false, simulated: false, detail: failure.message };
    }
    // 502 to 504 with a page in the place of an error of the API: a gateway answers, and nobody behind it.
    const isGateway = error.status >= 502 && error.status <= 504 && error.type === null;
    if (isGateway) return { reachable: false, simulated: false, detail: failure.message };
    const simulated = error.headers?.has(SIMULATOR_HEADER) === true;
    const refused = error.status === 401 ? { refused: true as const } : {};
    return { reachable: true, simulated, detail: failure.message, ...refused };
  }
}
