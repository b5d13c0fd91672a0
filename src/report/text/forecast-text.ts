/** Describes a forecast: amount, certainty, basis, and later how it compares with the real cost. */
import type { Forecast } from '../../scenario/forecast/forecast.ts';
import { formatCount, formatUsd } from './number-format.ts';

/** For a reviewer: the forecast, or the single estimate of packs from earlier versions. */
export function stillToPayText(effect: { forecast?: Forecast | undefined; estimateUsd: number }): string {
  const { forecast, estimateUsd } = effect;
  if (forecast === undefined) return `Estimate ${formatUsd(estimateUsd)}`;
  return `Still to pay ${forecastText(forecast)}, from ${forecastBasis(forecast)}`;
}

/** Returns for example `about $1.21, rarely more than $2.33`: half of such runs cost at most the one, nine in ten the other. */
export function forecastText({ p50, p90 }: Pick<Forecast, 'p50' | 'p90'>): string {
  return `about ${formatUsd(p50)}, rarely more than ${formatUsd(p90)}`;
}

/** Returns for example `design $0.52, build $0.62, subject $0.07`: the parts of the likely cost. */
export function forecastParts({ parts }: Pick<Forecast, 'parts'>): string {
  return Object.entries(parts)
    .filter(([, part]) => part > 0)
    .map(([name, part]) => `${name} ${formatUsd(part)}`)
    .join(', ');
}

/** Says which runs the forecast is based on, so that a reader knows how far to trust it. */
export function forecastBasis({ runs: { same, other } }: Pick<Forecast, 'runs'>): string {
  const known = [
    ...(same === 0 ? [] : [`${formatCount(same, 'run')} of this scenario`]),
    ...(other === 0 ? [] : [`${formatCount(other, 'run')} of ${same === 0 ? 'other scenarios' : 'others'}`]),
  ];
  return known.length === 0 ? 'typical numbers: no run has ended here yet' : `${known.join(' and ')} here`;
}

/** Returns for example `forecast about $1.21, rarely more than $2.33`, and after the run whether it cost more or less. */
export function forecastAgainst(
  forecast: Pick<Forecast, 'p50' | 'p90'>,
  paid: { usd: number; isOver: boolean },
): string {
  const [likely, most] = [paid.usd <= forecast.p50, paid.usd <= forecast.p90];
  const outcome = likely ? 'it cost less' : most ? 'it cost something between the two' : 'it cost more';
  return `forecast ${forecastText(forecast)}${paid.isOver ? `; ${outcome}` : ''}`;
}
