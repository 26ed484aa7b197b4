/** All clients of this host: each hears the same, from where it has subscribed. Owns their hubs. */
import type { BelayEvent } from '../../protocol';
import type { Clock } from '../base/clock';
import { createHub, type Hub } from './hub';
import { createStreamed } from './streamed';

export interface Audience {
  add(send: (event: BelayEvent) => void): Hub;
  remove(hub: Hub): void;
  readonly publish: Hub['publish'];
  readonly show: Hub['show'];
  dispose(): void;
}

export function createAudience(clock: Clock): Audience {
  const hubs = new Set<Hub>();
  const streamed = createStreamed();
  const remove = (hub: Hub): void => {
    hub.dispose();
    hubs.delete(hub);
  };
  return {
    add: (send) => {
      const hub = createHub(clock, send, (turn) => streamed.of(turn));
      hubs.add(hub);
      return hub;
    },
    remove,
    publish: (events) => {
      streamed.publish(events);
      for (const hub of hubs) hub.publish(events);
    },
    show: (type, data, where) => {
      streamed.show(type, data, where);
      for (const hub of hubs) hub.show(type, data, where);
    },
    dispose: () => {
      for (const hub of hubs) remove(hub);
    },
  };
}
