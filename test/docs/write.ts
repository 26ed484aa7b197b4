/** `npm run docs`: writes the pages that are made from code. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { protocolPage } from './protocolPage';

writeFileSync(join(__dirname, '../../docs/protocol.md'), protocolPage());
