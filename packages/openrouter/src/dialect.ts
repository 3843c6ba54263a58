import type { Dialect, Wire } from '@glassloop/core/chat-completions';

/** What OpenRouter does its own way. Usage and cost come with every answer, without being asked for. */
export const openrouterDialect: Dialect = {
  name: 'openrouter',
  maxTokensField: () => 'max_tokens',
  thinking: (on) => ({ fields: { reasoning: { enabled: on } } }),
  reasoningFields: ['reasoning', 'reasoning_content'],
  replayedFields: ['reasoning_details'],
  joinReplayed: joinDetails,
};

/**
 * Streamed pieces of `reasoning_details` → the details as they come whole. A piece of text or summary goes on with the
 * detail of its type and index; everything else in it (a signature, a format) is set. Other types come in one piece.
 */
function joinDetails(before: unknown, pieces: unknown): unknown {
  // The list is the fold's own, so it may grow in place.
  const details: Wire[] = Array.isArray(before) ? before : [];
  for (const piece of Array.isArray(pieces) ? (pieces as Wire[]) : []) {
    const at = details.findLastIndex((detail) => continues(detail, piece));
    const detail = details[at];
    if (detail === undefined) details.push(piece);
    else details[at] = joined(detail, piece);
  }
  return details;
}

const PIECEWISE: { readonly [type: string]: string } = {
  'reasoning.text': 'text',
  'reasoning.summary': 'summary',
};

function continues(detail: Wire, piece: Wire): boolean {
  return (
    PIECEWISE[String(piece['type'])] !== undefined &&
    detail['type'] === piece['type'] &&
    detail['index'] === piece['index'] &&
    (detail['id'] ?? piece['id']) === (piece['id'] ?? detail['id'])
  );
}

function joined(detail: Wire, piece: Wire): Wire {
  const field = PIECEWISE[String(piece['type'])]!;
  const set = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  const text = [detail[field], piece[field]].filter((part) => typeof part === 'string');
  return { ...detail, ...Object.fromEntries(set), ...(text.length > 0 ? { [field]: text.join('') } : {}) };
}
