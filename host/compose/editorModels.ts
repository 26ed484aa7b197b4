import { EDITOR_PROVIDER, type ModelInfo, type ModelPart } from '../../protocol';
import type { createModels } from '../adapters/models/models';
import type { Client } from '../api/serve';

/** The editor's own models: the client makes the request, its parts come back as notifications. */
export function editorModels(client: Client, offered: () => readonly ModelInfo[], epoch: () => number) {
  let requests = 0;
  const listeners = new Map<string, (part: ModelPart['part']) => void>();
  client.onPart(({ request, part }) => listeners.get(request)?.(part));
  return {
    offered,
    request: async (
      request: Parameters<Parameters<typeof createModels>[0]['editor']['request']>[0],
      onPart: (part: ModelPart['part']) => void,
      signal: AbortSignal,
    ) => {
      const id = `${EDITOR_PROVIDER}-${String(++requests)}`;
      listeners.set(id, onPart);
      try {
        return await client.request('model/request', { ...request, request: id, epoch: epoch() }, signal);
      } finally {
        listeners.delete(id);
      }
    },
  };
}
