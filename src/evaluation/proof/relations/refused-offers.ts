/** What a reading tool offers the writing tool grants: each listed record is taken where a gold path takes one of them. */
import { isJsonObject, type JsonObject } from '../../../scenario/json/json-value.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isSuccess, tryCall, type ObservedCall } from './observed-calls.ts';
import { foldKey, listLeaves, listRecords } from './world-records.ts';

/** The most listed records that one call is tried with. */
const MOST_OFFERS = 12;

/** One listed record, as the answer tells of it. */
type Offer = { key: string; told: JsonObject };

type Offering = {
  seen: readonly ObservedCall[];
  writing: readonly ObservedCall[];
  readOnly: ReadonlySet<string>;
};

export async function findRefusedOffers(
  { seen, writing, readOnly }: Offering,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const reading of seen) {
    const offers = listOffers(reading);
    for (const taking of writing) {
      if (taking.sample !== reading.sample || readOnly.has(taking.call.tool)) continue;
      const refused = await findRefused(taking, offers, signal);
      if (refused !== undefined)
        return `${describeCall(reading.call)} lists ${refused.key}, which ${taking.call.tool} refuses, and it takes most of the others that are listed`;
    }
  }
  return undefined;
}

/** The entries of the longest list in the answer that name a record of the world. */
function listOffers({ call, world }: ObservedCall): Offer[] {
  const records = listRecords(world);
  const lists = isJsonObject(call.output) ? Object.values(call.output).filter((one) => Array.isArray(one)) : [];
  const [longest = []] = lists.toSorted((a, b) => b.length - a.length);
  return longest.flatMap((told): Offer[] => {
    const named = isJsonObject(told) ? listLeaves(told).map(({ value }) => value) : [];
    const record = records.find(({ key }) => named.includes(key));
    return isJsonObject(told) && record !== undefined ? [{ key: record.key, told }] : [];
  });
}

async function findRefused(
  taking: ObservedCall,
  offers: readonly Offer[],
  signal: AbortSignal,
): Promise<Offer | undefined> {
  const taken = Object.entries(taking.call.input).find(([, value]) =>
    offers.some(({ key }) => foldKey(key) === foldKey(value)),
  );
  if (taken === undefined) return undefined;
  const [name, value] = taken;
  const granted = offers.filter(({ key }) => foldKey(key) === foldKey(value));
  const refused: Offer[] = [];
  for (const offer of offers.filter((one) => !granted.includes(one)).slice(0, MOST_OFFERS)) {
    const answer = await tryCall(taking, { args: { ...taking.call.input, [name]: offer.key } }, signal);
    if (answer !== undefined) (isSuccess(answer, taking.call) ? granted : refused).push(offer);
  }
  if (refused.length > granted.length) return undefined;
  return refused.find(({ told }) => !saysNo(told, granted));
}

/** The entry itself may say that it cannot be had, by a field that is empty, zero or false there alone. */
function saysNo(told: JsonObject, granted: readonly Offer[]): boolean {
  return Object.entries(told).some(([field, value]) => {
    const isEmpty = value === false || value === 0 || value === null || value === '';
    return isEmpty && granted.every((one) => one.told[field] !== value);
  });
}
