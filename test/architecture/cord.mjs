/**
 * The cord as a lint rule (R7, P2): in the host, whatever spawns, sends, writes, fetches, posts to a worker or child,
 * or asks a client for a model stands inside the synchronous function that is handed to a `launch`. Effects are known
 * by the declaration that a call resolves to, so that another name or a detour through a variable does not hide one.
 *
 * A function that is called from such a place alone, in the same file, counts as inside. An `async` one never does:
 * behind its first `await` the check has passed.
 */
import { relative, sep } from 'node:path';
import ts from 'typescript';

const FILES =
  /^(write|writev|appendFile|mkdir|mkdtemp|rename|unlink|rm|rmdir|f?truncate|copyFile|cp|symlink|link|[fl]?chmod|[fl]?chown|[fl]?utimes|writeFile|createWriteStream|open|openAsBlob)(Sync)?$/;

/** Where an effect is declared, and the names of those that are. */
const effects = [
  {
    where: /\/@types\/node\/child_process\.d\.ts$/,
    names: /^(spawn|fork|exec|execFile)(Sync)?$|^send$|^__promisify__$/,
  },
  { where: /\/@types\/node\/worker_threads\.d\.ts$/, names: /^(Worker|postMessage)$/ },
  { where: /\/@types\/node\/fs(\/promises)?\.d\.ts$/, names: FILES },
  {
    where: /\/@types\/node\/(net|tls|dgram|http|https|http2)\.d\.ts$/,
    names: /^(connect|createConnection|listen|write|send|request|get)$/,
  },
  { where: /\/@types\/node\/stream\.d\.ts$/, names: /^write$/ },
  { where: /\/(@types\/node\/|undici-types\/|lib\.dom)/, names: /^fetch$/ },
  { where: /\/vscode-jsonrpc\//, names: /^(sendRequest|sendNotification)$/ },
  { where: /\/node-pty\//, names: /^(spawn|write)$/ },
  {
    where: /\/@modelcontextprotocol\/sdk\//,
    names: /^(connect|callTool|request|notification|send|start|listTools|readResource)$/,
  },
  {
    where: /\/@agentclientprotocol\/sdk\//,
    names: /^(initialize|newSession|loadSession|prompt|authenticate|setSessionMode)$/,
  },
  {
    where: /\/host\/(api\/serve|adapters\/models\/editor|adapters\/clientTools\/\w+)\.ts$/,
    names: /^(request|ask)$/,
  },
];

/** What stands outside the cord, and why. A function is named where the rest of its file is not exempt. */
const exempt = [
  {
    file: /^host\/store\//,
    why: 'the store and its lease: that everything is paused must be written down, too',
  },
  { file: /^host\/thread\.ts$/, why: 'the log' },
  { file: /^host\/(api\/|compose\/windows\.ts$)/, why: 'the door: replies and events to the clients' },
  {
    file: /^host\/adapters\/processes\/watchdog\.ts$/,
    why: 'what it is told after its start ends processes, and starts none',
  },
  {
    file: /^host\/base\/bundleProcess\.ts$/,
    of: 'tell',
    why: 'what starts a program or types is told inside the launch of who has it started; the rest ends or confirms',
  },
  {
    file: /^host\/adapters\/terminals\/pty(Host)?\.ts$/,
    why: 'the PTY host: what asks it for an effect has passed the cord, and it checks the epoch itself',
  },
  {
    file: /^host\/adapters\/scripts\/worker\.ts$/,
    why: 'the thread of a script tells its host, and reaches nothing else',
  },
  {
    file: /^host\/adapters\/scripts\/thread\.ts$/,
    of: 'wake',
    why: 'a script is woken so that it ends',
  },
  {
    file: /^host\/compose\/(compose|editorModels)\.ts$/,
    why: 'hands the requests to the client to the adapters, which call them inside a launch: this rule checks that there',
  },
  {
    file: /^host\/(adapters\/windows\/|base\/localSocket\.ts$)/,
    why: 'a pull must reach other windows while this one is paused; what a link passes on is judged by the host there',
  },
  {
    file: /^host\/adapters\/mcp\/attempt\.ts$/,
    of: 'write',
    why: 'the wire of a transport, which host/adapters/mcp/client.ts writes to through its gate',
  },
  {
    file: /^host\/adapters\/mcp\/client\.ts$/,
    of: 'start',
    why: 'opens the transport, which sends nothing by itself',
  },
  {
    file: /^host\/compose\/(compose|memberTools)\.ts$/,
    of: 'askClient',
    why: 'called inside the launch of host/adapters/clientTools/registry.ts, which this rule checks',
  },
  {
    file: /^host\/base\/web\/(router|tunnel|web)\.ts$/,
    why: 'the way of a request: the `fetch` that begins it is called inside a launch, which this rule checks where it is called',
  },
  {
    file: /^host\/adapters\/models\/extras\.ts$/,
    why: 'makes the `fetch` of a provider, which is called inside a launch: this rule checks that there',
  },
  {
    file: /^host\/base\/web\/certificates\.ts$/,
    why: 'a thread that reads which certificates this machine trusts',
  },
  {
    file: /^host\/base\/channels\.ts$/,
    of: 'removeFolder',
    why: 'a folder that this host has made, with the nonce in it: a pause must not leave it behind',
  },
  {
    file: /^host\/base\/effects\.ts$/,
    of: 'systemTool',
    why: 'what runs must be found and ended while everything is paused',
  },
  {
    file: /^host\/base\/effects\.ts$/,
    of: 'removeEmptyFolder',
    why: 'tidies up behind what has ended, also while everything is paused',
  },
  {
    file: /^host\/adapters\/processes\/forkServer\.ts$/,
    why: 'the fork server: what asks it for a start has passed the cord, and it checks the epoch itself',
  },
  {
    file: /^host\/adapters\/processes\/talkingProgram\.ts$/,
    of: 'askToEnd',
    why: 'an agent is asked to end its work while everything is paused',
  },
];

const launch = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      looking: 'Only what reads may go past the cord.',
      loose: '{{name}} starts an effect: it belongs inside launch(() => …), with no await between.',
    },
  },
  create(context) {
    const file = relative(context.cwd, context.filename).split(sep).join('/');
    if (!file.startsWith('host/')) return {};
    const own = exempt.filter((one) => one.file.test(file));
    if (own.some((one) => one.of === undefined)) return {};
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();

    function check(node) {
      if (node.arguments.some(isLooking) && !READS.has(node.callee.name))
        context.report({ node, messageId: 'looking' });
      const name = effectName(checker, services.esTreeNodeToTSNodeMap.get(node));
      if (name === undefined || isSecret(node, name)) return;
      const inside = functionAround(node);
      if (own.some((one) => one.of === nameOf(inside))) return;
      if (!isGated(node, context.sourceCode, new Set()))
        context.report({ node, messageId: 'loose', data: { name } });
    }
    return { CallExpression: check, NewExpression: check };
  },
};

/** The launch of what looks at the disk while a call is prepared, and who may be handed it. */
const isLooking = (argument) => argument.type === 'Identifier' && argument.name === 'looking';
const READS = new Set(['readWhole', 'oldOf', 'openFile', 'openFolder']);

/** The name of the effect that a call starts; undefined when it starts none. */
function effectName(checker, call) {
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (declaration === undefined) return undefined;
  const where = declaration.getSourceFile().fileName;
  const name = declaredName(declaration);
  return effects.some((one) => one.where.test(where) && one.names.test(name)) ? name : undefined;
}

function declaredName(declaration) {
  if (declaration.name !== undefined) return declaration.name.getText();
  let outer = declaration.parent;
  while (outer !== undefined && outer.name === undefined) outer = outer.parent;
  const name = outer?.name?.getText() ?? '';
  return ts.isConstructSignatureDeclaration(declaration) ? name.replace(/Constructor$/, '') : name;
}

/** A key that is asked for, or kept, is no work: nothing starts by it, and a token that is not kept is lost. */
const SECRETS = new Set(['secret/get', 'secret/set']);
const isSecret = (node, name) =>
  name === 'request' && node.arguments[0]?.type === 'Literal' && SECRETS.has(node.arguments[0].value);

const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration']);

function functionAround(node) {
  let outer = node.parent;
  while (outer !== null && !FUNCTIONS.has(outer.type)) outer = outer.parent;
  return outer;
}

function nameOf(fn) {
  if (fn === null) return undefined;
  if (fn.type === 'FunctionDeclaration') return fn.id?.name;
  const named = fn.parent.type === 'VariableDeclarator' ? fn.parent.id : fn.parent.key;
  return named?.type === 'Identifier' ? named.name : undefined;
}

/** Whether a node runs inside a launch: its function is the one that is launched, or is called from inside alone. */
function isGated(node, source, seen) {
  const fn = functionAround(node);
  if (fn === null || fn.async || fn.generator) return false;
  if (isLaunched(fn)) return true;
  if (seen.has(fn)) return true;
  seen.add(fn);
  const variable = variableOf(fn, source);
  if (variable === undefined) return false;
  const uses = variable.references.filter((one) => one.isRead()).map((one) => one.identifier);
  return uses.length > 0 && uses.every((use) => isCalled(use) && isGated(use, source, seen));
}

const isCalled = (use) => use.parent.type === 'CallExpression' && use.parent.callee === use;

/** The doors to an effect, and at which place each takes it. A server's gate picks the launch that a message is sent under. */
const doors = { launch: 0 };
const gateDoors = { pass: 1, under: 1, around: 1 };

function isLaunched(fn) {
  const call = fn.parent;
  if (call.type !== 'CallExpression') return false;
  const place = placeOf(call.callee);
  return place !== undefined && call.arguments[place] === fn;
}

function placeOf(callee) {
  if (callee.type === 'Identifier') return doors[callee.name];
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined;
  return lastName(callee.object) === 'gate' ? gateDoors[callee.property.name] : doors[callee.property.name];
}

function lastName(node) {
  const named = node.type === 'MemberExpression' ? node.property : node;
  return named.type === 'Identifier' ? named.name : undefined;
}

/** The variable of a function that this file keeps to itself. */
function variableOf(fn, source) {
  const declared = fn.type === 'FunctionDeclaration' ? fn : fn.parent;
  if (declared.type !== 'FunctionDeclaration' && declared.type !== 'VariableDeclarator') return undefined;
  const statement = declared.type === 'FunctionDeclaration' ? declared : declared.parent;
  if (statement.parent.type === 'ExportNamedDeclaration') return undefined;
  return source.getDeclaredVariables(declared).find((one) => one.name === nameOf(fn));
}

export default { rules: { launch } };
