/** Faults in which an error comes instead of an answer: each row of the API's errors, and those of gateways. */
import { apiError, type Fault, type FaultReply } from './fault.ts';

const createInvalidReply = (message: string): FaultReply => apiError(400, 'invalid_request_error', message);
const createBusyReply = (headers: Record<string, string> = {}): FaultReply => ({
  ...apiError(429, 'rate_limit_error', 'This request would exceed the rate limit of your organization.'),
  headers,
});
const createHtmlReply = (status: number, title: string): FaultReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
});

const SPEND_LIMIT: FaultReply = {
  status: 429,
  body: {
    type: 'error',
    error: {
      type: 'rate_limit_error',
      message: 'Your organization has reached its spend limit.',
      details: { error_code: 'org_spend_limit_reached' },
    },
    request_id: 'req_fault',
  },
};

export const ERROR_FAULTS = {
  '400': { says: 'the request is wrong', instead: createInvalidReply('messages.0: Input is not valid.') },
  '400_too_long': {
    says: 'the prompt is too long',
    instead: createInvalidReply('prompt is too long: 213462 tokens > 200000 maximum'),
  },
  '400_signature': {
    says: 'thinking is bound to another conversation',
    instead: createInvalidReply(
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
    ),
  },
  '400_credit': {
    says: 'no credit is left',
    instead: createInvalidReply('Your credit balance is too low to access the API.'),
  },
  '400_usage_limit': {
    says: 'the usage limit of the account is reached',
    instead: createInvalidReply('You have reached your specified API usage limits.'),
  },
  '401': { says: 'the key is wrong', instead: apiError(401, 'authentication_error', 'invalid bearer token') },
  '402': { says: 'billing has failed', instead: apiError(402, 'billing_error', 'Your payment has failed.') },
  '403': { says: 'the key may not', instead: apiError(403, 'permission_error', 'Your API key may not use it.') },
  '404': { says: 'the model is not served', instead: apiError(404, 'not_found_error', 'model: not found') },
  '404_html': { says: 'a gateway knows no such page', instead: createHtmlReply(404, '404 Not Found') },
  '408': { says: 'the request took too long', instead: apiError(408, 'timeout_error', 'Request timeout') },
  '409': { says: 'a conflict', instead: apiError(409, 'conflict_error', 'Conflict, try again') },
  '413': { says: 'the request is too large', instead: apiError(413, 'request_too_large', 'Request is too large') },
  '422': { says: 'the request is not understood', instead: apiError(422, 'invalid_request_error', 'Unprocessable') },
  '429': { says: 'too many requests, with retry-after: 1', instead: createBusyReply({ 'retry-after': '1' }) },
  '429_ms': {
    says: 'too many requests, with retry-after-ms: 50',
    instead: createBusyReply({ 'retry-after-ms': '50' }),
  },
  '429_bare': { says: 'too many requests, without retry-after', instead: createBusyReply() },
  '429_hour': {
    says: 'too many requests, with retry-after: 3600',
    instead: createBusyReply({ 'retry-after': '3600' }),
  },
  '429_spend': { says: 'the spend limit of the account is reached', instead: SPEND_LIMIT },
  '500': { says: 'an error of the server', instead: apiError(500, 'api_error', 'Internal server error') },
  '502_html': { says: 'a bad gateway', instead: createHtmlReply(502, '502 Bad Gateway') },
  '503_html': { says: 'a gateway without servers', instead: createHtmlReply(503, '503 Service Unavailable') },
  '504': { says: 'the server took too long', instead: apiError(504, 'timeout_error', 'Timed out') },
  '529': { says: 'overloaded', instead: apiError(529, 'overloaded_error', 'Overloaded') },
  '529_final': {
    says: 'overloaded, with x-should-retry: false',
    instead: { ...apiError(529, 'overloaded_error', 'Overloaded'), headers: { 'x-should-retry': 'false' } },
  },
  portal: { says: 'a page with status 200 that is no answer', instead: createHtmlReply(200, 'Sign in to the network') },
  nothing: {
    says: 'status 200 and an empty stream',
    instead: { status: 200, headers: { 'content-type': 'text/event-stream' }, body: '' },
  },
  models_404: {
    says: 'the Models endpoint is not there, as behind many gateways',
    models: apiError(404, 'not_found_error', 'Not found'),
  },
  models_500: { says: 'the Models endpoint fails', models: apiError(500, 'api_error', 'Internal server error') },
  refused: { says: 'the connection closes before an answer', lost: 'drop' },
  silence: { says: 'no byte ever comes', lost: 'silence' },
} as const satisfies Record<string, Fault>;
