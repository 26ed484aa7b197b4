/** Renders `docs/protocol.md` from the schemas: every method, event, code, setting and number. */
import { z } from 'zod';
import * as limits from '../../protocol/limits';
import {
  ClientMethods,
  ClientNotifications,
  EventData,
  HostNotifications,
  Methods,
  PROTOCOL_VERSION,
  RequestCode,
  ResultCode,
  Settings,
  TRANSIENT,
  TurnCode,
  type EventType,
} from '../../protocol';

type Schema = Record<string, unknown>;

/** A schema as a type a reader knows: objects on one line, or one field a line when they are long. */
function shape(schema: Schema, indent = ''): string {
  if (Array.isArray(schema['anyOf']))
    return unique((schema['anyOf'] as Schema[]).map((one) => shape(one, indent))).join(' | ');
  if (Array.isArray(schema['oneOf']))
    return unique((schema['oneOf'] as Schema[]).map((one) => shape(one, indent))).join(' | ');
  if (Array.isArray(schema['enum'])) return schema['enum'].map((one) => JSON.stringify(one)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema['const']);
  switch (schema['type']) {
    case 'object':
      return objectShape(schema, indent);
    case 'array': {
      if (Array.isArray(schema['prefixItems']))
        return `[${(schema['prefixItems'] as Schema[]).map((one) => shape(one, indent)).join(', ')}]`;
      const inner = shape((schema['items'] as Schema | undefined) ?? {}, indent);
      return isUnion(inner) ? `(${inner})[]` : `${inner}[]`;
    }
    case 'string':
    case 'boolean':
    case 'null':
      return schema['type'];
    case 'integer':
    case 'number':
      return 'number';
    default:
      return 'any JSON';
  }
}

/** Whether ` | ` stands outside of all brackets. */
function isUnion(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if ('{[('.includes(character)) depth++;
    else if ('}])'.includes(character)) depth--;
    else if (character === '|' && depth === 0 && at > 0) return true;
  }
  return false;
}

const unique = (parts: readonly string[]): string[] => [...new Set(parts)];

const LINE = 90;

function objectShape(schema: Schema, indent: string): string {
  const properties = Object.entries((schema['properties'] as Record<string, Schema> | undefined) ?? {});
  if (properties.length === 0) {
    const values = schema['additionalProperties'];
    return typeof values === 'object' && values !== null && Object.keys(values).length > 0
      ? `{[name]: ${shape(values as Schema, indent)}}`
      : '{}';
  }
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const fields = (deeper: string) =>
    properties.map(([key, value]) => `${key}${required.has(key) ? '' : '?'}: ${shape(value, deeper)}`);
  const line = `{${fields(indent).join(', ')}}`;
  if (line.length <= LINE && !line.includes('\n')) return line;
  const deeper = `${indent}  `;
  return `{\n${fields(deeper)
    .map((field) => `${deeper}${field}`)
    .join('\n')}\n${indent}}`;
}

const of = (schema: z.ZodType, io: 'input' | 'output'): string =>
  shape(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));

const block = (text: string): string => `\`\`\`\n${text}\n\`\`\``;

function methods(table: Readonly<Record<string, { params: z.ZodType; result: z.ZodType }>>): string {
  return Object.entries(table)
    .map(
      ([name, { params, result }]) =>
        `### ${name}\n\n${block(`params ${of(params, 'input')}\nresult ${of(result, 'output')}`)}`,
    )
    .join('\n\n');
}

export function protocolPage(): string {
  const numbers = Object.entries(limits).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return `# The protocol

<!-- Generated from protocol/ by \`npm run docs\`. Do not edit: a test compares it with the schemas. -->

JSON-RPC 2.0, version ${String(PROTOCOL_VERSION)}, as plain objects over the port of the worker \`dist/host.js\`. \`initialize\` comes first and
once. Names are \`resource/verb\`; events are past tense; times are milliseconds since 1970 and end in \`At\`; a
listing takes \`{cursor?, limit?}\` and gives \`{items, next?}\`. An error reply has the number −32000, or JSON-RPC's
own for what is malformed, and carries \`data: {code, …}\`. A request's stored events come before its reply.

## Requests to the host

${methods(Methods)}

## Requests of the host to its client

Each can be cancelled. A client that has gone is never a denial.

${methods(ClientMethods)}

## Notifications

To the host:

${Object.entries(ClientNotifications)
  .map(([name, schema]) => `### ${name}\n\n${block(of(schema, 'input'))}`)
  .join('\n\n')}

To the client:

${Object.entries(HostNotifications)
  .map(([name, schema]) => `### ${name}\n\n${block(of(schema, 'output'))}`)
  .join('\n\n')}

## Events

The \`data\` of each \`type\`. Those marked *shown* are not stored and carry the \`seq\` of the newest stored event.

${Object.entries(EventData)
  .map(
    ([type, schema]) =>
      `### ${type}${TRANSIENT.has(type as EventType) ? ' (shown)' : ''}\n\n${block(of(schema, 'output'))}`,
  )
  .join('\n\n')}

## Codes

Of error replies: ${RequestCode.options.map((code) => `\`${code}\``).join(', ')}.

Of results that a model reads: ${ResultCode.options.map((code) => `\`${code}\``).join(', ')}.

Of turns that failed or were interrupted: ${TurnCode.options.map((code) => `\`${code}\``).join(', ')}.

## Settings

${block(of(Settings, 'input'))}

## Numbers

| name | value |
| --- | --- |
${numbers.map(([name, value]) => `| \`${name}\` | ${value.toLocaleString('en-US')} |`).join('\n')}
`;
}
