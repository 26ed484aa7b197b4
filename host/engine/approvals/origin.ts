/** Whose tool a rule names: a name alone is anybody's. Pure. */
import { say, type RuleMatch, type ToolOrigin } from '../../../protocol';

/** Undefined is Belay itself. */
export function isSameOrigin(one: ToolOrigin | undefined, other: ToolOrigin | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  switch (one.kind) {
    case 'server':
      return other.kind === 'server' && one.hash === other.hash;
    case 'client':
      return other.kind === 'client' && one.client === other.client;
    case 'agent':
      return other.kind === 'agent' && one.agent === other.agent;
  }
}

/** The words of a rule for a tool: they say whose it is. */
export function toolLabel({ tool, origin }: Extract<RuleMatch, { kind: 'tool' }>): string {
  switch (origin?.kind) {
    case undefined:
      return say('every call of {tool}', { tool });
    case 'server':
      return say('every call of {tool}, while the server {server} is configured as now', {
        tool,
        server: origin.name,
      });
    case 'client':
      return say('every call of {tool}, a tool of {client}', { tool, client: origin.client });
    case 'agent':
      return say('every call that the agent {agent} names {tool}', { agent: origin.agent, tool });
  }
}

/** Whether two matches name the same. */
export function isSameMatch(one: RuleMatch, other: RuleMatch): boolean {
  switch (one.kind) {
    case 'command':
      return (
        other.kind === 'command' &&
        one.command === other.command &&
        one.folder === other.folder &&
        one.further === other.further
      );
    case 'path':
    case 'folder':
      return other.kind === one.kind && one.path === other.path && one.access === other.access;
    case 'pattern':
      return other.kind === 'pattern' && one.pattern === other.pattern && one.access === other.access;
    case 'tool':
      return other.kind === 'tool' && one.tool === other.tool && isSameOrigin(one.origin, other.origin);
    case 'server':
      return other.kind === 'server' && isSameOrigin(one.server, other.server);
  }
}
