/** A 53-bit digest of a JSON value: equal values, equal digests. For telling apart, not for secrecy. */
export function digestOf(value: unknown): number {
  let text: string;
  try {
    text = JSON.stringify(value) ?? '';
  } catch {
    // A cycle or a big integer: equal to nothing, so that it is compared in full.
    return Number.NaN;
  }
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
