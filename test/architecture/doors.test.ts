import { RuleTester } from 'eslint';
import { join } from 'node:path';
import { parser } from 'typescript-eslint';
import architecture from './doors.mjs';

const tester = new RuleTester({ languageOptions: { parser } });

tester.run('doors', architecture.rules.doors, {
  valid: [
    inFile('host/engine/turns/loop.ts', `import { a } from '../../base/clock';`),
    inFile('host/engine/turns/loop.ts', `import { a } from '../../../protocol';`),
    inFile('host/store/database.ts', `import initSqlJs from 'sql.js';`),
    inFile('host/adapters/tools/read.ts', `import { a } from './paths';`),
    inFile('host/main.ts', `import { a } from './compose/compose';`),
    inFile('extension/hostWorker.ts', `import type { A } from '../host/boot';`),
    inFile('webview/main.tsx', `import { a } from '../protocol';`),
    inFile('test/host/a.test.ts', `import { a } from '../../host/store/database';`),
  ],
  invalid: [
    closed('protocol/index.ts', `import { a } from '../host/base/clock';`),
    closed('host/base/clock.ts', `import { a } from '../engine/ports';`),
    closed('host/engine/engine.ts', `import { a } from '../store/store';`),
    closed('host/engine/engine.ts', `export * from '../api/serve';`),
    closed('host/adapters/tools/read.ts', `import { a } from '../processes/processes';`),
    closed('host/store/store.ts', `import initSqlJs from 'sql.js';`),
    closed('host/api/serve.ts', `import * as vscode from 'vscode';`),
    closed('extension/hostWorker.ts', `import { a } from '../host/boot';`),
    closed('extension/extension.ts', `import type { A } from '../host/engine/ports';`),
    closed('webview/main.tsx', `const a = import('../extension/ids');`),
    { ...inFile('host/helpers/a.ts', ''), errors: [{ messageId: 'stray' }] },
  ],
});

function inFile(name: string, code: string): { name: string; filename: string; code: string } {
  return { name: `${name}: ${code}`, filename: join(__dirname, '../..', name), code };
}

function closed(name: string, code: string): RuleTester.InvalidTestCase {
  return { ...inFile(name, code), errors: [{ messageId: 'closed' }] };
}
