/** What was measured, printed as it comes and kept for a file. */

export const rows = [];

export function heading(text) {
  console.log(`\n${text}`);
}

/**
 * One value against its target, if it has one. `value` is a number or a spread.
 *
 * @param {string} what
 * @param {number | { median: number, low: number, high: number }} value
 * @param {{ target?: number, note?: string, unit?: string }} [facts]
 */
export function report(what, value, { target, note = '', unit = '' } = {}) {
  const middle = typeof value === 'number' ? value : value.median;
  const verdict = target === undefined ? '' : middle <= target ? 'ok' : 'MISSED';
  rows.push({ what, value, unit, target, verdict, note });
  const half = typeof value === 'number' ? '' : `(${short(value.low)}–${short(value.high)})`;
  console.log(
    `${verdict.padEnd(7)}${what.padEnd(58)} ${`${short(middle)}${unit}`.padStart(10)} ${half.padEnd(14)} ${target === undefined ? '' : `≤ ${target}`.padEnd(7)} ${note}`.trimEnd(),
  );
}

function short(value) {
  if (Math.abs(value) >= 1000) return Math.round(value).toString();
  return value.toFixed(Math.abs(value) >= 100 ? 0 : 2);
}
