/** Asks the API how many tokens a request has, where the estimate alone is too close to a limit to decide. */
import type { Pressure } from '../../context/index.ts';
import { isHarnessError } from '../../errors.ts';
import type { Model, ModelRequest } from '../../ports/model.ts';

/** Of the limit: nearer than this the estimate is not trusted. */
const CLOSE = 0.08;

/** Contract: a count that cannot be had changes nothing; an abort passes. */
export async function countIfClose(
  pressure: Pressure,
  model: Model,
  request: () => ModelRequest,
  signal: AbortSignal,
): Promise<Pressure> {
  const { total, trigger, hard, source } = pressure;
  const near = [trigger, hard].some((limit) => Math.abs(total - limit) < limit * CLOSE);
  if (!near || source === 'usage' || model.countTokens === undefined) return pressure;
  const counted = await model.countTokens(request(), signal).catch((error: unknown) => {
    if (isHarnessError(error)) return undefined;
    throw error;
  });
  if (counted === undefined) return pressure;
  const others = pressure.because === undefined || pressure.because === 'tokens' ? counted > trigger : true;
  return { ...pressure, total: counted, due: others, urgent: counted > hard };
}
