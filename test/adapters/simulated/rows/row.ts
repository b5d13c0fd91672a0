/** A row of the table of rules: a request that is refused, and its opposite that is not. */
import { BASE, type Json, type Sent, TOOL, user } from '../wire.ts';
import { imageOf, paddedPng } from '../../../support/images.ts';

export type Try = { body?: unknown; sent?: Sent };
export type Row = { rule: string; case: string; bad: Try; good: Try; status?: number; says?: string };

export const go = user('go');
export const talk = (...messages: Json[]): Try => ({ body: { ...BASE, messages } });
export const withTools = (...messages: Json[]): Try => ({ body: { ...BASE, tools: [TOOL], messages } });
export const asks = (more: Json): Try => ({ body: { ...BASE, ...more } });
export const on = (model: string, more: Json = {}): Try => asks({ model, ...more });
export const old = (model: string, more: Json): Try => ({
  ...on(model, more),
  sent: { headers: { 'anthropic-version': '2023-06-01' } },
});
export const marked = (ttl?: string): Json => ({
  type: 'text',
  text: 'x',
  cache_control: { type: 'ephemeral', ...(ttl && { ttl }) },
});
export const image: Json = { ...imageOf(paddedPng()) };
export const document: Json = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };
