/** What Google's SDK keeps the adapter from, by the id of the case. */

const HEADERS = 'The SDK hands out no headers; an adapter with a fetch of its own has them.';

export const deviations = {
  'errors.retry-after': HEADERS,
  'errors.retry-after.streamed': HEADERS,
  'errors.request-id': HEADERS,
  'errors.request-id.streamed': HEADERS,
  'errors.inside-200.streamed':
    'The SDK drops a body that is no event; the failure is bad_response without its text.',
  'streaming.framing': 'The SDK reads only the framing that Google itself writes.',
  'security.redirect': 'fetch does not know x-goog-api-key as a secret; see docs/adr/0007-google-sdk.md.',
};
