import type { Adapter, ModelRequest } from './adapter.ts';
import { AdapterError } from './adapter-error.ts';

/**
 * Throws "unsupported" for what the adapter declares it cannot do and that must not be lost in silence:
 * streaming and images. Options are no reason to refuse: they become warnings.
 */
export function refuseUnsupported({ name, capabilities }: Adapter, request: ModelRequest): void {
  if (request.onDelta !== undefined && !capabilities.streaming) {
    throw new AdapterError('unsupported', `${name}: this adapter does not stream`, {
      hint: 'Run without onDelta.',
    });
  }
  if (capabilities.images) return;
  for (const { role, content } of request.messages) {
    if (role === 'user' && typeof content !== 'string' && content.some((part) => part.type === 'image')) {
      throw new AdapterError('unsupported', `${name}: this adapter sends no images`, {
        hint: 'Leave the image out, or choose an adapter with images: true in its capabilities.',
      });
    }
  }
}
